// UTF-8 on bytes: lengths, validity, decoding one code point.
#ifndef SWITCHBOARD_BASE_UTF8_H_
#define SWITCHBOARD_BASE_UTF8_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"

namespace switchboard {

inline constexpr char kReplacementCharacter[] = "\xEF\xBF\xBD";  // U+FFFD

// What stands at the start of `text`: a whole code point, the valid beginning of one that `text`
// cuts off, or bytes that can never become one.
struct Utf8Unit {
  enum Kind { kCodePoint, kIncomplete, kInvalid } kind;
  // Bytes it spans. For kInvalid: the maximal ill-formed subsequence (Unicode 3.9, "U+FFFD
  // substitution of maximal subparts"), which is replaced by one U+FFFD.
  size_t bytes;
  char32_t code_point;  // only for kCodePoint
};

// REQUIRES: `text` is not empty.
Utf8Unit DecodeUtf8(absl::string_view text);

bool IsValidUtf8(absl::string_view text);

// `text` with each maximal ill-formed subsequence replaced by U+FFFD.
std::string ReplaceInvalidUtf8(absl::string_view text);

// Appends a code point; surrogates and values beyond U+10FFFF append U+FFFD.
void AppendUtf8(char32_t code_point, std::string* out);

}  // namespace switchboard

#endif  // SWITCHBOARD_BASE_UTF8_H_
