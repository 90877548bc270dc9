#include "absl/strings/match.h"
#include "base/status_macros.h"
#include "media/byte_order.h"
#include "media/image_header.h"

namespace switchboard::media {
namespace {

constexpr uint8_t kStartOfScan = 0xDA, kEndOfImage = 0xD9, kApp1 = 0xE1;
constexpr absl::string_view kExifPrefix("Exif\0\0", 6);

absl::Status CutOff() {
  return absl::InvalidArgumentError("invalid image: the JPEG file is cut off in its header");
}

// SOF0..SOF15 without DHT (C4), JPG (C8) and DAC (CC), which share the range.
bool IsFrameHeader(uint8_t marker) {
  return marker >= 0xC0 && marker <= 0xCF && marker != 0xC4 && marker != 0xC8 && marker != 0xCC;
}

// TEM, RSTn, SOI: markers that stand alone.
bool HasNoSegment(uint8_t marker) { return marker == 0x01 || (marker >= 0xD0 && marker <= 0xD8); }

// Walks the markers of a file. Like libjpeg, it skips stray bytes in front of a marker.
class MarkerReader {
 public:
  explicit MarkerReader(absl::string_view bytes) : rest_(bytes) {}

  absl::StatusOr<uint8_t> Next() {
    for (;;) {
      const size_t escape = rest_.find('\xFF');
      if (escape == absl::string_view::npos) return CutOff();
      rest_.remove_prefix(escape);
      const size_t code = rest_.find_first_not_of('\xFF');
      if (code == absl::string_view::npos) return CutOff();
      const auto marker = static_cast<uint8_t>(rest_[code]);
      rest_.remove_prefix(code + 1);
      if (marker != 0) return marker;  // FF 00 is a stuffed data byte
    }
  }

  // The content of the segment behind the marker just read.
  absl::StatusOr<absl::string_view> Segment() {
    if (rest_.size() < 2) return CutOff();
    const size_t length = ReadUint16(rest_, 0, ByteOrder::kBig);  // counts itself
    if (length < 2 || length > rest_.size()) return CutOff();
    const absl::string_view content = rest_.substr(2, length - 2);
    rest_.remove_prefix(length);
    return content;
  }

 private:
  absl::string_view rest_;
};

}  // namespace

absl::StatusOr<ImageHeader> ReadJpegHeader(absl::string_view bytes) {
  ImageHeader header;
  bool has_frame = false;
  MarkerReader reader(bytes.substr(2));
  for (;;) {
    ASSIGN_OR_RETURN(const uint8_t marker, reader.Next());
    if (HasNoSegment(marker)) continue;
    if (marker == kEndOfImage || marker == kStartOfScan) break;
    ASSIGN_OR_RETURN(const absl::string_view content, reader.Segment());
    if (IsFrameHeader(marker) && !has_frame) {
      if (content.size() < 6) return CutOff();  // precision, height, width, components
      header.height = ReadUint16(content, 1, ByteOrder::kBig);
      header.width = ReadUint16(content, 3, ByteOrder::kBig);
      has_frame = true;
    } else if (marker == kApp1 && header.exif.empty() && absl::StartsWith(content, kExifPrefix)) {
      header.exif = content.substr(kExifPrefix.size());
    }
  }
  if (!has_frame) {
    return absl::InvalidArgumentError("invalid image: the JPEG file has no frame header");
  }
  return header;
}

}  // namespace switchboard::media
