#include "base/base64.h"

#include <array>
#include <cstdint>

namespace switchboard {
namespace {

constexpr int8_t kBad = -1, kSpace = -2, kPad = -3;

constexpr std::array<int8_t, 256> MakeTable() {
  std::array<int8_t, 256> table{};
  for (int8_t& entry : table) entry = kBad;
  constexpr char kAlphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (int i = 0; i < 64; ++i) {
    table[static_cast<unsigned char>(kAlphabet[i])] = static_cast<int8_t>(i);
  }
  table['-'] = 62;
  table['_'] = 63;
  table['='] = kPad;
  for (char c : {' ', '\t', '\r', '\n'}) table[static_cast<unsigned char>(c)] = kSpace;
  return table;
}

constexpr std::array<int8_t, 256> kTable = MakeTable();

}  // namespace

absl::StatusOr<std::string> DecodeBase64(absl::string_view text) {
  std::string out;
  out.reserve(text.size() / 4 * 3 + 3);
  uint32_t bits = 0;
  size_t symbols = 0, padding = 0;
  for (char c : text) {
    const int8_t value = kTable[static_cast<unsigned char>(c)];
    if (value == kSpace) continue;
    if (value == kPad) {
      ++padding;
      continue;
    }
    if (value == kBad) return absl::InvalidArgumentError("invalid base64: illegal character");
    if (padding > 0) return absl::InvalidArgumentError("invalid base64: text behind the padding");
    bits = bits << 6 | static_cast<uint32_t>(value);
    if (++symbols % 4 == 0) {
      out.push_back(static_cast<char>(bits >> 16));
      out.push_back(static_cast<char>(bits >> 8));
      out.push_back(static_cast<char>(bits));
      bits = 0;
    }
  }
  const size_t rest = symbols % 4;
  const bool padding_fits = padding == 0 || (rest >= 2 && padding == 4 - rest);
  if (rest == 1 || !padding_fits) {
    return absl::InvalidArgumentError("invalid base64: the text is cut off or padded wrongly");
  }
  if (rest == 2) out.push_back(static_cast<char>(bits >> 4));
  if (rest == 3) {
    out.push_back(static_cast<char>(bits >> 10));
    out.push_back(static_cast<char>(bits >> 2));
  }
  return out;
}

}  // namespace switchboard
