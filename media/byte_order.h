// Unsigned integers at a place in a byte string, in either byte order.
#ifndef SWITCHBOARD_MEDIA_BYTE_ORDER_H_
#define SWITCHBOARD_MEDIA_BYTE_ORDER_H_

#include <cstddef>
#include <cstdint>

#include "absl/strings/string_view.h"
#include "base/check.h"

namespace switchboard::media {

enum class ByteOrder { kBig, kLittle };

// REQUIRES: [at, at + 2) lies inside `bytes`.
inline uint16_t ReadUint16(absl::string_view bytes, size_t at, ByteOrder order) {
  CHECK(bytes.size() >= 2 && at <= bytes.size() - 2);
  const auto first = static_cast<uint8_t>(bytes[at]), second = static_cast<uint8_t>(bytes[at + 1]);
  return static_cast<uint16_t>(order == ByteOrder::kBig ? first << 8 | second
                                                        : second << 8 | first);
}

// REQUIRES: [at, at + 4) lies inside `bytes`.
inline uint32_t ReadUint32(absl::string_view bytes, size_t at, ByteOrder order) {
  CHECK(bytes.size() >= 4 && at <= bytes.size() - 4);
  const uint32_t first = ReadUint16(bytes, at, order), second = ReadUint16(bytes, at + 2, order);
  return order == ByteOrder::kBig ? first << 16 | second : second << 16 | first;
}

}  // namespace switchboard::media

#endif  // SWITCHBOARD_MEDIA_BYTE_ORDER_H_
