#include "text/tokenizer/token_decoder.h"

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_replace.h"
#include "absl/types/optional.h"
#include "text/tokenizer/byte_alphabet.h"

namespace switchboard::text {

int ByteOfFallback(absl::string_view text) {
  if (text.size() != 6 || !absl::StartsWith(text, "<0x") || text[5] != '>' ||
      !absl::ascii_isxdigit(text[3]) || !absl::ascii_isxdigit(text[4])) {
    return -1;
  }
  int value = -1;
  return absl::SimpleHexAtoi(text.substr(3, 2), &value) ? value : -1;
}

std::string TokenDecoder::BytesOf(absl::string_view text) const {
  if (byte_level) {
    absl::optional<std::string> bytes = BytesOfSpelling(text);
    return bytes.has_value() ? *std::move(bytes) : std::string(text);
  }
  if (const int byte = byte_fallback ? ByteOfFallback(text) : -1; byte >= 0) {
    return std::string(1, static_cast<char>(byte));
  }
  std::string bytes(text);
  for (const auto& replacement : replacements) {
    bytes = absl::StrReplaceAll(bytes, {replacement});
  }
  return bytes;
}

std::string TokenDecoder::BareBytesOf(absl::string_view text) const {
  return BytesOf(absl::StrReplaceAll(text, {{mark, ""}}));
}

}  // namespace switchboard::text
