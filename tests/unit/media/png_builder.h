// PNG files made sample by sample, so that a test can state what every pixel must become. The data
// is stored, not compressed.
#ifndef SWITCHBOARD_TESTS_UNIT_MEDIA_PNG_BUILDER_H_
#define SWITCHBOARD_TESTS_UNIT_MEDIA_PNG_BUILDER_H_

#include <algorithm>
#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace switchboard::media {

enum PngColor : char { kGray = 0, kTrueColor = 2, kPalette = 3, kGrayAlpha = 4, kRgba = 6 };

struct PngSpec {
  uint32_t width = 1, height = 1;
  char depth = 8;
  PngColor color = kTrueColor;
  std::string rows = {};          // samples, row after row, without filter bytes
  std::string palette = {};       // PLTE
  std::string transparency = {};  // tRNS
  std::string exif = {};          // eXIf
  bool exif_last = false;         // behind the pixels
};

inline std::string BigEndian(uint32_t value) {
  return {static_cast<char>(value >> 24), static_cast<char>(value >> 16),
          static_cast<char>(value >> 8), static_cast<char>(value)};
}

inline uint32_t Crc32(absl::string_view bytes) {
  uint32_t crc = ~0u;
  for (const char byte : bytes) {
    crc ^= static_cast<uint8_t>(byte);
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc & 1 ? 0xEDB88320u : 0);
  }
  return ~crc;
}

inline std::string Chunk(absl::string_view type, absl::string_view data) {
  const std::string body = absl::StrCat(type, data);
  return absl::StrCat(BigEndian(static_cast<uint32_t>(data.size())), body, BigEndian(Crc32(body)));
}

// A zlib stream of stored blocks.
inline std::string Store(absl::string_view data) {
  uint32_t a = 1, b = 0;
  for (const char byte : data) {
    a = (a + static_cast<uint8_t>(byte)) % 65521;
    b = (b + a) % 65521;
  }
  std::string stream("\x78\x01", 2);
  do {
    const size_t size = std::min<size_t>(data.size(), 65535);
    const bool last = size == data.size();
    for (const size_t value : {size, ~size}) {
      if (value == size) stream.push_back(last ? 1 : 0);
      stream.push_back(static_cast<char>(value));
      stream.push_back(static_cast<char>(value >> 8));
    }
    stream.append(data.data(), size);
    data.remove_prefix(size);
  } while (!data.empty());
  return stream + BigEndian(b << 16 | a);
}

inline std::string Header(uint32_t width, uint32_t height, char depth, PngColor color) {
  const std::string tail = {depth, static_cast<char>(color), 0, 0, 0};
  return absl::StrCat("\x89PNG\r\n\x1a\n",
                      Chunk("IHDR", absl::StrCat(BigEndian(width), BigEndian(height), tail)));
}

inline std::string BuildPng(const PngSpec& spec) {
  const size_t row_bytes = spec.rows.size() / spec.height;
  std::string filtered;
  for (size_t y = 0; y < spec.height; ++y) {
    filtered.push_back(0);
    filtered += spec.rows.substr(y * row_bytes, row_bytes);
  }
  std::string png = Header(spec.width, spec.height, spec.depth, spec.color);
  if (!spec.palette.empty()) png += Chunk("PLTE", spec.palette);
  if (!spec.transparency.empty()) png += Chunk("tRNS", spec.transparency);
  if (!spec.exif.empty() && !spec.exif_last) png += Chunk("eXIf", spec.exif);
  png += Chunk("IDAT", Store(filtered));
  if (!spec.exif.empty() && spec.exif_last) png += Chunk("eXIf", spec.exif);
  return png + Chunk("IEND", "");
}

}  // namespace switchboard::media

#endif  // SWITCHBOARD_TESTS_UNIT_MEDIA_PNG_BUILDER_H_
