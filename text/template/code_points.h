// Code points of UTF-8 text: positions as Python counts them, and Python's classes of characters.
#ifndef SWITCHBOARD_TEXT_TEMPLATE_CODE_POINTS_H_
#define SWITCHBOARD_TEXT_TEMPLATE_CODE_POINTS_H_

#include <cstddef>
#include <string>

#include "absl/strings/string_view.h"

namespace switchboard::text::jinja {

size_t CountCodePoints(absl::string_view text);

// The byte where code point `n` starts; text.size() when there are fewer.
size_t ByteOfCodePoint(absl::string_view text, size_t n);

// Walks text code point by code point; an ill-formed byte counts as U+FFFD.
class CodePoints {
 public:
  explicit CodePoints(absl::string_view text) : text_(text) { Decode(); }
  bool done() const { return begin_ == text_.size(); }
  char32_t value() const { return value_; }
  size_t begin() const { return begin_; }  // its bytes are [begin, end)
  size_t end() const { return end_; }
  absl::string_view bytes() const { return text_.substr(begin_, end_ - begin_); }
  void Next() {
    begin_ = end_;
    Decode();
  }

 private:
  void Decode();

  absl::string_view text_;
  size_t begin_ = 0, end_ = 0;
  char32_t value_ = 0;
};

bool IsSpace(char32_t c);      // str.isspace
bool IsLineBreak(char32_t c);  // where str.splitlines splits
bool IsPrintable(char32_t c);  // what repr() leaves as it is
bool IsAlpha(char32_t c);      // str.isalpha
bool IsDecimal(char32_t c);    // str.isdecimal
bool IsDigit(char32_t c);      // str.isdigit
bool IsNumeric(char32_t c);    // str.isnumeric
bool IsUpper(char32_t c);      // what str.isupper asks of its letters
bool IsLower(char32_t c);
bool IsTitle(char32_t c);
bool IsCased(char32_t c);
bool IsCaseIgnorable(char32_t c);
bool IsIdentifierPart(char32_t c);  // letters, marks, digits, connectors

// The full case mappings of one code point (ß to SS), without context.
std::u32string ToUpper(char32_t c);
std::u32string ToLower(char32_t c);
std::u32string ToTitle(char32_t c);

}  // namespace switchboard::text::jinja

#endif  // SWITCHBOARD_TEXT_TEMPLATE_CODE_POINTS_H_
