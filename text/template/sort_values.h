// Sorting as Python's sorted() with jinja's keys.
#ifndef SWITCHBOARD_TEXT_TEMPLATE_SORT_VALUES_H_
#define SWITCHBOARD_TEXT_TEMPLATE_SORT_VALUES_H_

#include <cstddef>
#include <functional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "text/template/attributes.h"
#include "text/template/runtime.h"

namespace switchboard::text::jinja {

struct SortOrder {
  std::vector<AttributePath> keys;  // one or more
  // Keys are compared as a list, in which equal ones (undefined, none) need no order; else alone.
  bool as_list = true;
  bool ignore_case = true;
  bool reverse = false;
};

// Attributes separated by commas, a number, or none for the items themselves.
absl::StatusOr<std::vector<AttributePath>> ParseSortKeys(const Value& attribute);

// Stable, also in reverse. Error when two keys have no order.
absl::Status SortValues(Runtime& runtime, const SortOrder& order, std::vector<Value>* items);

// The places 0 .. count-1 in a stable order. Whatever `less` says, even what is no order at all
// (NaN, errors), the result holds every place once.
std::vector<size_t> StableOrder(size_t count, const std::function<bool(size_t, size_t)>& less);

// A string in lower case; anything else as it is.
Value WithoutCase(Runtime& runtime, const Value& value);

}  // namespace switchboard::text::jinja

#endif  // SWITCHBOARD_TEXT_TEMPLATE_SORT_VALUES_H_
