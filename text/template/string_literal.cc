#include <unicode/uchar.h>

#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "base/utf8.h"
#include "text/template/lexer.h"

namespace switchboard::text::jinja {
namespace {

// Reads exactly `count` hexadecimal digits.
bool ReadHex(absl::string_view text, size_t count, char32_t* value) {
  if (text.size() < count) return false;
  *value = 0;
  for (size_t i = 0; i < count; ++i) {
    if (!absl::ascii_isxdigit(text[i])) return false;
    const char c = absl::ascii_tolower(text[i]);
    *value = *value * 16 + static_cast<char32_t>(c <= '9' ? c - '0' : c - 'a' + 10);
  }
  return *value <= 0x10FFFF;
}

// \N{NAME}; returns how many characters it takes after the N, or 0.
size_t ReadName(absl::string_view text, char32_t* value) {
  const size_t close = text.find('}');
  if (text.empty() || text[0] != '{' || close == text.npos) return 0;
  UErrorCode error = U_ZERO_ERROR;
  const std::string name(text.substr(1, close - 1));
  *value = static_cast<char32_t>(u_charFromName(U_EXTENDED_CHAR_NAME, name.c_str(), &error));
  return U_FAILURE(error) ? 0 : close + 1;
}

// Up to three octal digits.
size_t ReadOctal(absl::string_view text, char32_t* value) {
  size_t n = 0;
  for (*value = 0; n < 3 && n < text.size() && text[n] >= '0' && text[n] <= '7'; ++n) {
    *value = *value * 8 + static_cast<char32_t>(text[n] - '0');
  }
  return n;
}

constexpr absl::string_view kSimple = "\\'\"abfnrtv";
constexpr absl::string_view kSimpleValues = "\\'\"\a\b\f\n\r\t\v";

}  // namespace

bool Unescape(absl::string_view literal, std::string* value) {
  for (size_t i = 0; i < literal.size(); ++i) {
    if (literal[i] != '\\' || i + 1 == literal.size()) {
      value->push_back(literal[i]);
      continue;
    }
    const char letter = literal[++i];
    const absl::string_view rest = literal.substr(i + 1);
    char32_t code_point = 0;
    size_t length = 0;
    if (const size_t simple = kSimple.find(letter); simple != kSimple.npos) {
      value->push_back(kSimpleValues[simple]);
      continue;
    }
    if (letter == '\n') continue;  // a line goes on
    if (letter == 'x' || letter == 'u' || letter == 'U') {
      length = letter == 'x' ? 2 : letter == 'u' ? 4 : 8;
      if (!ReadHex(rest, length, &code_point)) return false;
    } else if (letter == 'N') {
      length = ReadName(rest, &code_point);
      if (length == 0) return false;
    } else if (letter >= '0' && letter <= '7') {
      length = ReadOctal(literal.substr(i), &code_point) - 1;
    } else {
      absl::StrAppend(value, "\\", literal.substr(i, 1));
      continue;
    }
    AppendUtf8(code_point, value);
    i += length;
  }
  return true;
}

}  // namespace switchboard::text::jinja
