// Python's two ways to format text: `'%s: %d' % values` and `'{}: {:d}'.format(values)`.
#ifndef SWITCHBOARD_TEXT_TEMPLATE_FORMAT_H_
#define SWITCHBOARD_TEXT_TEMPLATE_FORMAT_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "text/template/runtime.h"
#include "text/template/value.h"

namespace switchboard::text::jinja {

// The format's own text and the values that are inserted whole keep their marks; what is made
// (numbers, padding) is data.

// `values` is a tuple of values, a dict for %(name)s, or the one value.
absl::StatusOr<Value> FormatPercent(Runtime& runtime, const Value& format, const Value& values);

absl::StatusOr<Value> FormatBraces(Runtime& runtime, const Value& format,
                                   const Arguments& arguments);

// How one value is laid out; both ways share it.
struct FormatSpec {
  std::string fill = " ";
  char align = '\0';  // < > ^ = or the kind's own
  char sign = '-';    // - + or space
  bool alternate = false, zero = false;
  char grouping = '\0';  // , or _ between thousands
  int width = 0, precision = -1;
  char type = '\0';
};

// A number by its type (d x X o b e E f F g G % or none), with sign, prefix, grouping and zeros,
// not yet padded with blanks. Error when type and value do not fit.
absl::StatusOr<std::string> FormatNumber(const Value& value, const FormatSpec& spec);

}  // namespace switchboard::text::jinja

#endif  // SWITCHBOARD_TEXT_TEMPLATE_FORMAT_H_
