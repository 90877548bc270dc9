#include "media/exif.h"

#include "media/byte_order.h"

namespace switchboard::media {
namespace {

constexpr int kUpright = 1;
constexpr size_t kHeaderBytes = 8;  // byte order, 42, offset of the first directory
constexpr size_t kEntryBytes = 12;  // tag, type, count, value
constexpr uint16_t kOrientationTag = 0x0112;
constexpr uint16_t kShort = 3, kLong = 4;  // some writers use the wider type

int Judge(uint32_t value) { return value >= 1 && value <= 8 ? static_cast<int>(value) : kUpright; }

}  // namespace

int ReadExifOrientation(absl::string_view tiff) {
  if (tiff.size() < kHeaderBytes) return kUpright;
  const absl::string_view mark = tiff.substr(0, 2);
  if (mark != "II" && mark != "MM") return kUpright;
  const ByteOrder order = mark == "MM" ? ByteOrder::kBig : ByteOrder::kLittle;
  if (ReadUint16(tiff, 2, order) != 42) return kUpright;

  const size_t directory = ReadUint32(tiff, 4, order);
  if (directory > tiff.size() - 2) return kUpright;
  const size_t entries = ReadUint16(tiff, directory, order);
  absl::string_view rest = tiff.substr(directory + 2);
  for (size_t i = 0; i < entries && rest.size() >= kEntryBytes; ++i) {
    if (ReadUint16(rest, 0, order) == kOrientationTag) {
      const uint16_t type = ReadUint16(rest, 2, order);
      if (ReadUint32(rest, 4, order) != 1) return kUpright;
      if (type == kShort) return Judge(ReadUint16(rest, 8, order));
      if (type == kLong) return Judge(ReadUint32(rest, 8, order));
      return kUpright;
    }
    rest.remove_prefix(kEntryBytes);
  }
  return kUpright;
}

}  // namespace switchboard::media
