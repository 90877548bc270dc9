#include "absl/strings/match.h"
#include "media/byte_order.h"
#include "media/image_header.h"

namespace switchboard::media {
namespace {

constexpr size_t kSignatureBytes = 8;
constexpr size_t kChunkFrameBytes = 12;  // length, type and checksum around the data
constexpr size_t kIhdrBytes = 13;

// The orientation may follow the pixels, so the whole list is walked; that touches a few bytes per
// chunk and stops at the first chunk that is not whole.
absl::string_view FindExif(absl::string_view chunks) {
  while (chunks.size() >= kChunkFrameBytes) {
    const size_t length = ReadUint32(chunks, 0, ByteOrder::kBig);
    if (length > chunks.size() - kChunkFrameBytes) return {};
    const absl::string_view type = chunks.substr(4, 4);
    if (type == "eXIf") return chunks.substr(8, length);
    if (type == "IEND") return {};
    chunks.remove_prefix(length + kChunkFrameBytes);
  }
  return {};
}

}  // namespace

absl::StatusOr<ImageHeader> ReadPngHeader(absl::string_view bytes) {
  absl::string_view chunks = bytes.substr(kSignatureBytes);
  if (chunks.size() < kIhdrBytes + kChunkFrameBytes) {
    return absl::InvalidArgumentError("invalid image: the PNG file is cut off in its header");
  }
  if (ReadUint32(chunks, 0, ByteOrder::kBig) != kIhdrBytes || chunks.substr(4, 4) != "IHDR") {
    return absl::InvalidArgumentError("invalid image: the PNG file does not begin with IHDR");
  }
  ImageHeader header;
  header.width = ReadUint32(chunks, 8, ByteOrder::kBig);
  header.height = ReadUint32(chunks, 12, ByteOrder::kBig);
  header.exif = FindExif(chunks.substr(kIhdrBytes + kChunkFrameBytes));
  // Some writers keep the prefix that the block has in a JPEG file.
  constexpr absl::string_view kJpegPrefix("Exif\0\0", 6);
  if (absl::StartsWith(header.exif, kJpegPrefix)) header.exif.remove_prefix(kJpegPrefix.size());
  return header;
}

}  // namespace switchboard::media
