#include "text/template/numbers.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "text/template/code_points.h"

namespace switchboard::text::jinja {
namespace {

absl::string_view StripSpace(absl::string_view text) {
  size_t begin = text.size(), end = 0;
  for (CodePoints c(text); !c.done(); c.Next()) {
    if (IsSpace(c.value())) continue;
    begin = std::min(begin, c.begin());
    end = c.end();
  }
  return begin < end ? text.substr(begin, end - begin) : absl::string_view();
}

// Takes the underscores out; nothing when one does not stand between two digits.
std::optional<std::string> WithoutUnderscores(absl::string_view text) {
  std::string result;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '_') {
      result.push_back(text[i]);
    } else if (i == 0 || i + 1 == text.size() || !absl::ascii_isxdigit(text[i - 1]) ||
               !absl::ascii_isxdigit(text[i + 1])) {
      return std::nullopt;
    }
  }
  return result;
}

int DigitValue(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  const char lower = absl::ascii_tolower(c);
  return lower >= 'a' && lower <= 'z' ? lower - 'a' + 10 : 99;
}

// The base that a prefix 0x, 0o, 0b announces, or 0.
int PrefixBase(absl::string_view text) {
  if (text.size() < 2 || text[0] != '0') return 0;
  const char letter = absl::ascii_tolower(text[1]);
  return letter == 'x' ? 16 : letter == 'o' ? 8 : letter == 'b' ? 2 : 0;
}

std::optional<Int> ParseDigits(absl::string_view digits, int base) {
  if (digits.empty()) return std::nullopt;
  Int value = 0;
  for (const char c : digits) {
    const int digit = DigitValue(c);
    if (digit >= base || static_cast<double>(value) * base > kMaxWholeDouble) return std::nullopt;
    value = value * base + digit;
  }
  return value;
}

}  // namespace

std::string IntToString(Int value, int base) {
  std::string digits;
  const bool negative = value < 0;
  for (absl::uint128 rest = negative ? -absl::uint128(value) : absl::uint128(value);
       rest != 0 || digits.empty(); rest /= static_cast<unsigned>(base)) {
    digits.push_back("0123456789abcdef"[static_cast<int>(rest % static_cast<unsigned>(base))]);
  }
  if (negative) digits.push_back('-');
  std::reverse(digits.begin(), digits.end());
  return digits;
}

std::string FloatToString(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  char buffer[32];
  const auto end =
      std::to_chars(buffer, buffer + sizeof(buffer), value, std::chars_format::scientific);
  const absl::string_view scientific(buffer, static_cast<size_t>(end.ptr - buffer));
  const size_t e = scientific.find('e');
  const int exponent = std::atoi(std::string(scientific.substr(e + 1)).c_str());
  // Python writes an exponent from 1e16 on and below 1e-4.
  if (exponent >= 16 || exponent < -4) return std::string(scientific);
  const std::string sign = scientific[0] == '-' ? "-" : "";
  std::string digits;
  for (const char c : scientific.substr(0, e)) {
    if (absl::ascii_isdigit(c)) digits.push_back(c);
  }
  if (exponent < 0) return absl::StrCat(sign, "0.", std::string(-exponent - 1, '0'), digits);
  const size_t whole = static_cast<size_t>(exponent) + 1;
  if (digits.size() <= whole) digits.append(whole + 1 - digits.size(), '0');
  return absl::StrCat(sign, digits.substr(0, whole), ".", digits.substr(whole));
}

std::optional<Int> ParseInt(absl::string_view text, int base) {
  text = StripSpace(text);
  const bool negative = absl::StartsWith(text, "-");
  if (negative || absl::StartsWith(text, "+")) text.remove_prefix(1);
  const int prefix = PrefixBase(text);
  if (prefix != 0 && (base == 0 || base == prefix)) {
    base = prefix;
    text.remove_prefix(2);
    if (absl::StartsWith(text, "_")) text.remove_prefix(1);
  } else if (base == 0) {
    // Without a prefix a leading zero is refused, as in source code.
    if (text.size() > 1 && text[0] == '0' && text.find_first_not_of("0_") != text.npos) {
      return std::nullopt;
    }
    base = 10;
  }
  const std::optional<std::string> digits = WithoutUnderscores(text);
  if (!digits.has_value()) return std::nullopt;
  const std::optional<Int> value = ParseDigits(*digits, base);
  if (!value.has_value()) return std::nullopt;
  return negative ? -*value : *value;
}

std::optional<double> ParseFloat(absl::string_view text) {
  const std::optional<std::string> stripped = WithoutUnderscores(StripSpace(text));
  if (!stripped.has_value() || stripped->empty()) return std::nullopt;
  absl::string_view magnitude = *stripped;
  if (magnitude[0] == '+' || magnitude[0] == '-') magnitude.remove_prefix(1);
  const std::string word = absl::AsciiStrToLower(magnitude);
  const bool special = word == "inf" || word == "infinity" || word == "nan";
  // strtod would also read hexadecimal.
  if (!special &&
      (magnitude.empty() || magnitude.find_first_not_of("0123456789.eE+-") != magnitude.npos)) {
    return std::nullopt;
  }
  char* end = nullptr;
  const double value = std::strtod(stripped->c_str(), &end);
  if (end != stripped->c_str() + stripped->size()) return std::nullopt;
  return value;
}

}  // namespace switchboard::text::jinja
