#include "text/template/code_points.h"

#include <unicode/casemap.h>
#include <unicode/uchar.h>
#include <unicode/ustring.h>

#include "base/utf8.h"

namespace switchboard::text::jinja {
namespace {

UChar32 Icu(char32_t c) { return static_cast<UChar32>(c); }

using CaseFunction = int32_t (*)(UChar*, int32_t, const UChar*, int32_t, UErrorCode*);

std::u32string MapCase(char32_t c, CaseFunction map) {
  constexpr int32_t kMost = 16;  // the longest mapping of a code point has three
  UChar source[2], target[kMost];
  int32_t length = 0;
  UBool failed = false;
  U16_APPEND(source, length, 2, Icu(c), failed);
  UErrorCode error = U_ZERO_ERROR;
  const int32_t written = failed ? 0 : map(target, kMost, source, length, &error);
  if (failed || U_FAILURE(error)) return {c};
  std::u32string result;
  for (int32_t i = 0; i < written;) {
    UChar32 mapped;
    U16_NEXT(target, i, written, mapped);
    result.push_back(static_cast<char32_t>(mapped));
  }
  return result;
}

// The root locale: Python's mappings know no language.
int32_t Upper(UChar* to, int32_t room, const UChar* from, int32_t length, UErrorCode* error) {
  return u_strToUpper(to, room, from, length, "", error);
}
int32_t Lower(UChar* to, int32_t room, const UChar* from, int32_t length, UErrorCode* error) {
  return u_strToLower(to, room, from, length, "", error);
}
int32_t Title(UChar* to, int32_t room, const UChar* from, int32_t length, UErrorCode* error) {
  constexpr uint32_t kAsOneWord = U_TITLECASE_WHOLE_STRING | U_TITLECASE_NO_BREAK_ADJUSTMENT;
  return icu::CaseMap::toTitle("", kAsOneWord, nullptr, from, length, to, room, nullptr, *error);
}

bool HasNumericType(char32_t c, UNumericType least_general) {
  const int type = u_getIntPropertyValue(Icu(c), UCHAR_NUMERIC_TYPE);
  return type != U_NT_NONE && type <= least_general;
}

}  // namespace

size_t CountCodePoints(absl::string_view text) {
  size_t count = 0;
  for (const char c : text) count += (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  return count;
}

size_t ByteOfCodePoint(absl::string_view text, size_t n) {
  size_t at = 0;
  for (; at < text.size(); ++at) {
    const bool starts = (static_cast<unsigned char>(text[at]) & 0xC0) != 0x80;
    if (starts && n-- == 0) break;
  }
  return at;
}

void CodePoints::Decode() {
  if (begin_ == text_.size()) return;
  const Utf8Unit unit = DecodeUtf8(text_.substr(begin_));
  end_ = begin_ + unit.bytes;
  value_ = unit.kind == Utf8Unit::kCodePoint ? unit.code_point : U'\uFFFD';
}

bool IsSpace(char32_t c) {
  if (c < 0x80) return c == ' ' || (c >= 9 && c <= 13) || (c >= 0x1C && c <= 0x1F);
  return c == 0x85 || c == 0x2028 || c == 0x2029 || u_charType(Icu(c)) == U_SPACE_SEPARATOR;
}

bool IsLineBreak(char32_t c) {
  return (c >= 10 && c <= 13) || (c >= 0x1C && c <= 0x1E) || c == 0x85 || c == 0x2028 ||
         c == 0x2029;
}

bool IsPrintable(char32_t c) {
  if (c < 0x7F) return c >= ' ';
  switch (u_charType(Icu(c))) {
    case U_UNASSIGNED:
    case U_CONTROL_CHAR:
    case U_FORMAT_CHAR:
    case U_PRIVATE_USE_CHAR:
    case U_SURROGATE:
    case U_SPACE_SEPARATOR:
    case U_LINE_SEPARATOR:
    case U_PARAGRAPH_SEPARATOR:
      return false;
    default:
      return true;
  }
}

bool IsAlpha(char32_t c) { return (U_MASK(u_charType(Icu(c))) & U_GC_L_MASK) != 0; }
bool IsDecimal(char32_t c) { return HasNumericType(c, U_NT_DECIMAL); }
bool IsDigit(char32_t c) { return HasNumericType(c, U_NT_DIGIT); }
bool IsNumeric(char32_t c) { return HasNumericType(c, U_NT_NUMERIC); }
bool IsUpper(char32_t c) { return u_hasBinaryProperty(Icu(c), UCHAR_UPPERCASE); }
bool IsLower(char32_t c) { return u_hasBinaryProperty(Icu(c), UCHAR_LOWERCASE); }
bool IsTitle(char32_t c) { return u_charType(Icu(c)) == U_TITLECASE_LETTER; }
bool IsCased(char32_t c) { return u_hasBinaryProperty(Icu(c), UCHAR_CASED); }
bool IsCaseIgnorable(char32_t c) { return u_hasBinaryProperty(Icu(c), UCHAR_CASE_IGNORABLE); }

bool IsIdentifierPart(char32_t c) {
  if (c < 0x80) return u_isalnum(Icu(c)) || c == '_';
  return u_hasBinaryProperty(Icu(c), UCHAR_XID_CONTINUE);
}

std::u32string ToUpper(char32_t c) {
  if (c >= 0x80) return MapCase(c, Upper);
  return {c >= 'a' && c <= 'z' ? c - 32 : c};
}

std::u32string ToLower(char32_t c) {
  if (c >= 0x80) return MapCase(c, Lower);
  return {c >= 'A' && c <= 'Z' ? c + 32 : c};
}

std::u32string ToTitle(char32_t c) { return c < 0x80 ? ToUpper(c) : MapCase(c, Title); }

}  // namespace switchboard::text::jinja
