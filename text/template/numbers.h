// Numbers as Python writes and reads them.
#ifndef SWITCHBOARD_TEXT_TEMPLATE_NUMBERS_H_
#define SWITCHBOARD_TEXT_TEMPLATE_NUMBERS_H_

#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "text/template/value.h"

namespace switchboard::text::jinja {

// Beyond this a double is not turned into an Int.
inline constexpr double kMaxWholeDouble = 1e37;

// str(int), and digits in another base (2..16, lower case, no prefix).
std::string IntToString(Int value, int base = 10);

// repr(float): the shortest digits that read back as the same number.
std::string FloatToString(double value);

// int(text, base): surrounding space, a sign, underscores between digits, for base 0 or the fitting
// base a prefix 0x, 0o, 0b. Nothing when it is no number or too large.
std::optional<Int> ParseInt(absl::string_view text, int base);

// float(text): also inf, nan, underscores between digits. Nothing when it is no number.
std::optional<double> ParseFloat(absl::string_view text);

}  // namespace switchboard::text::jinja

#endif  // SWITCHBOARD_TEXT_TEMPLATE_NUMBERS_H_
