// Python's arithmetic, indexing and slicing, and jinja's ~.
#ifndef SWITCHBOARD_TEXT_TEMPLATE_OPERATORS_H_
#define SWITCHBOARD_TEXT_TEMPLATE_OPERATORS_H_

#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "text/template/runtime.h"
#include "text/template/value.h"

namespace switchboard::text::jinja {

// + - * / // % ** on numbers; + on strings and lists; * of a string or list and a number; %
// formats.
absl::StatusOr<Value> BinaryOperation(Runtime& runtime, absl::string_view op, const Value& a,
                                      const Value& b);
absl::StatusOr<Value> Negate(const Value& value);
absl::StatusOr<Value> Positive(const Value& value);

// a ~ b ~ ...: the values as they print, joined.
Value Concatenate(Runtime& runtime, const std::vector<Value>& values);

// The item of a sequence, string, range or dict; nothing when there is none of that key.
std::optional<Value> FindItem(Runtime& runtime, const Value& container, const Value& key);

// container[start:stop:step]; None for a bound that is not given.
absl::StatusOr<Value> Slice(Runtime& runtime, const Value& container, const Value& start,
                            const Value& stop, const Value& step);

// The whole number in `value` within the range of int64 (larger ones become the nearest end), or an
// error naming `what`.
absl::StatusOr<int64_t> ToIndex(const Value& value, absl::string_view what);
// The same for an argument; `otherwise` when it is not given or none.
absl::StatusOr<int64_t> IndexOr(const Value& argument, int64_t otherwise, absl::string_view what);

}  // namespace switchboard::text::jinja

#endif  // SWITCHBOARD_TEXT_TEMPLATE_OPERATORS_H_
