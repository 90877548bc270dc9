#include <algorithm>
#include <cmath>
#include <cstdio>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "text/template/format.h"
#include "text/template/numbers.h"

namespace switchboard::text::jinja {
namespace {

// |value| with a C conversion. The precision is small (the callers see to it).
std::string Digits(double value, char conversion, int precision, bool alternate) {
  const char pattern[] = {'%', alternate ? '#' : '-', '.', '*', conversion, '\0'};
  const double magnitude = std::abs(value);
  const int length = std::snprintf(nullptr, 0, pattern, precision, magnitude);
  std::string text(static_cast<size_t>(length) + 1, '\0');
  std::snprintf(text.data(), text.size(), pattern, precision, magnitude);
  text.pop_back();
  return text;
}

std::string FloatMagnitude(double value, const FormatSpec& spec) {
  const char lower = absl::ascii_tolower(spec.type);
  const bool upper = spec.type != lower;
  std::string text;
  if (!std::isfinite(value)) {
    text = std::isnan(value) ? "nan" : "inf";
  } else if (spec.type == '%') {
    return Digits(value * 100, 'f', spec.precision < 0 ? 6 : spec.precision, false) + "%";
  } else if (spec.type == '\0' || spec.type == 'r') {
    text = spec.precision < 0 ? FloatToString(std::abs(value))
                              : Digits(value, 'g', std::max(spec.precision, 1), false);
  } else {
    const int precision = spec.precision < 0 ? 6 : spec.precision;
    text = Digits(value, lower == 'n' ? 'g' : lower, precision, spec.alternate);
  }
  return upper ? absl::AsciiStrToUpper(text) : text;
}

std::string IntMagnitude(Int value, const FormatSpec& spec) {
  const Int magnitude = value < 0 ? -value : value;
  const char lower = absl::ascii_tolower(spec.type);
  const int base = lower == 'x' ? 16 : lower == 'o' ? 8 : lower == 'b' ? 2 : 10;
  std::string text = IntToString(magnitude, base);
  return spec.type == 'X' ? absl::AsciiStrToUpper(text) : text;
}

// Puts `separator` between groups of `size` digits, counted from the decimal point to the left.
std::string Grouped(absl::string_view number, char separator, size_t size) {
  const size_t whole = std::min(number.find_first_not_of("0123456789abcdefABCDEF"), number.size());
  std::string text;
  for (size_t i = 0; i < whole; ++i) {
    if (i > 0 && (whole - i) % size == 0) text.push_back(separator);
    text.push_back(number[i]);
  }
  return absl::StrCat(text, number.substr(whole));
}

bool IsIntType(char type) {
  return type != '\0' && absl::StrContains("bdnoxXc", std::string(1, type));
}

}  // namespace

absl::StatusOr<std::string> FormatNumber(const Value& value, const FormatSpec& spec) {
  const bool as_int = value.is_integral() && (spec.type == '\0' || IsIntType(spec.type));
  if (!as_int && IsIntType(spec.type) && spec.type != 'n') {
    return TypeError(absl::StrCat("Unknown format code '", std::string(1, spec.type),
                                  "' for object of type '", TypeName(value), "'"));
  }
  const double real = value.real();
  std::string text = as_int ? IntMagnitude(value.integer(), spec) : FloatMagnitude(real, spec);
  if (spec.grouping != '\0') {
    text = Grouped(
        text, spec.grouping,
        as_int && absl::StrContains("xXob", std::string(1, spec.type)) && spec.type != '\0' ? 4
                                                                                            : 3);
  }
  const bool negative = as_int ? value.integer() < 0 : std::signbit(real) && !std::isnan(real);
  std::string head = negative ? "-" : spec.sign == '-' ? "" : std::string(1, spec.sign);
  if (as_int && spec.alternate && absl::StrContains("xXob", std::string(1, spec.type))) {
    head += absl::StrCat("0", std::string(1, spec.type));
  }
  const size_t length = head.size() + text.size(), width = static_cast<size_t>(spec.width);
  if (spec.zero && length < width) text.insert(0, width - length, '0');
  return head + text;
}

}  // namespace switchboard::text::jinja
