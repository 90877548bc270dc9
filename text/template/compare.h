// Python's ==, <, in, and truth.
#ifndef SWITCHBOARD_TEXT_TEMPLATE_COMPARE_H_
#define SWITCHBOARD_TEXT_TEMPLATE_COMPARE_H_

#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "text/template/budget.h"
#include "text/template/value.h"

namespace switchboard::text::jinja {

bool IsTrue(const Value& value);

// Work is taken from the budget; once that is used up the answer means nothing.
bool Equal(const Value& a, const Value& b, Budget* budget);

// a < b. Error for values that have no order.
absl::StatusOr<bool> Less(const Value& a, const Value& b, Budget* budget);

// One comparison by its symbol: == != < <= > >= in, `not in`.
absl::StatusOr<bool> Compare(absl::string_view op, const Value& a, const Value& b, Budget* budget);

// item in container.
absl::StatusOr<bool> Contains(const Value& container, const Value& item, Budget* budget);

// Whether a loop can go over it.
bool IsIterable(const Value& value);
// What a loop over it sees: items, keys of a dict, characters of a string. Uses up an iterator.
// Error for what cannot be iterated; undefined gives nothing.
absl::StatusOr<std::vector<Value>> Iterate(const Value& value, Budget* budget);

// Python's len(), or an error for what has none.
absl::StatusOr<size_t> Length(const Value& value);

// Where `needle` first stands in `text` from byte `from` on, or npos; in linear time, since both
// may come from a client.
size_t FindText(absl::string_view text, absl::string_view needle, size_t from, Budget* budget);

}  // namespace switchboard::text::jinja

#endif  // SWITCHBOARD_TEXT_TEMPLATE_COMPARE_H_
