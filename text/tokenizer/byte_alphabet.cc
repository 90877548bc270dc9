#include "text/tokenizer/byte_alphabet.h"

#include <array>
#include <cstdint>

#include "base/utf8.h"

namespace switchboard::text {
namespace {

// Printable Latin-1 stands for itself; every other byte, in ascending order, for U+0100, U+0101,
// ...
bool StandsForItself(int byte) {
  return (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
}

constexpr int kOthers = 68;  // 256 bytes less those that stand for themselves

std::array<int16_t, 256 + kOthers> MakeByteOfCharacter() {
  std::array<int16_t, 256 + kOthers> byte_of;
  byte_of.fill(-1);
  size_t next = 256;
  for (int byte = 0; byte < 256; ++byte) {
    byte_of[StandsForItself(byte) ? static_cast<size_t>(byte) : next++] =
        static_cast<int16_t>(byte);
  }
  return byte_of;
}

}  // namespace

absl::optional<std::string> BytesOfSpelling(absl::string_view spelling) {
  static const std::array<int16_t, 256 + kOthers> byte_of = MakeByteOfCharacter();
  std::string bytes;
  while (!spelling.empty()) {
    const Utf8Unit unit = DecodeUtf8(spelling);
    if (unit.kind != Utf8Unit::kCodePoint || unit.code_point >= byte_of.size() ||
        byte_of[unit.code_point] < 0) {
      return absl::nullopt;
    }
    bytes.push_back(static_cast<char>(byte_of[unit.code_point]));
    spelling.remove_prefix(unit.bytes);
  }
  return bytes;
}

std::string SpellingOfBytes(absl::string_view bytes) {
  static const std::array<std::string, 256> spelling_of = [] {
    const std::array<int16_t, 256 + kOthers> byte_of = MakeByteOfCharacter();
    std::array<std::string, 256> spellings;
    for (size_t c = 0; c < byte_of.size(); ++c) {
      if (byte_of[c] >= 0) {
        AppendUtf8(static_cast<char32_t>(c), &spellings[static_cast<size_t>(byte_of[c])]);
      }
    }
    return spellings;
  }();
  std::string spelling;
  for (const char byte : bytes) spelling += spelling_of[static_cast<unsigned char>(byte)];
  return spelling;
}

}  // namespace switchboard::text
