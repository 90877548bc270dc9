#include "text/template/sort_values.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "absl/strings/str_split.h"
#include "text/template/compare.h"
#include "text/template/text_ops.h"

namespace switchboard::text::jinja {

absl::StatusOr<std::vector<AttributePath>> ParseSortKeys(const Value& attribute) {
  std::vector<AttributePath> keys;
  if (!attribute.is_string()) {
    ASSIGN_OR_RETURN(AttributePath path, AttributePath::Parse(attribute));
    keys.push_back(std::move(path));
    return keys;
  }
  for (const absl::string_view part : absl::StrSplit(attribute.text(), ',')) {
    ASSIGN_OR_RETURN(AttributePath path, AttributePath::Parse(Value::Data(part)));
    keys.push_back(std::move(path));
  }
  return keys;
}

absl::Status SortValues(Runtime& runtime, const SortOrder& order, std::vector<Value>* items) {
  std::vector<std::vector<Value>> keys_of;  // of each item
  keys_of.reserve(items->size());
  for (const Value& item : *items) {
    std::vector<Value> keys;
    for (const AttributePath& path : order.keys) {
      ASSIGN_OR_RETURN(Value key, path.Of(runtime, item));
      keys.push_back(order.ignore_case ? WithoutCase(runtime, key) : std::move(key));
    }
    keys_of.push_back(std::move(keys));
    RETURN_IF_ERROR(runtime.budget()->status());
  }
  absl::Status status;
  const auto less = [&](const std::vector<Value>& a, const std::vector<Value>& b) {
    for (size_t i = 0; i < a.size() && status.ok(); ++i) {
      if (order.as_list && Equal(a[i], b[i], runtime.budget())) continue;
      const absl::StatusOr<bool> result = Less(a[i], b[i], runtime.budget());
      if (!result.ok()) status = result.status();
      return result.ok() && *result;
    }
    return false;
  };
  const std::vector<size_t> places = StableOrder(items->size(), [&](size_t a, size_t b) {
    return order.reverse ? less(keys_of[b], keys_of[a]) : less(keys_of[a], keys_of[b]);
  });
  RETURN_IF_ERROR(status);
  std::vector<Value> sorted;
  sorted.reserve(items->size());
  for (const size_t place : places) sorted.push_back(std::move((*items)[place]));
  *items = std::move(sorted);
  return absl::OkStatus();
}

// Merges runs of 1, 2, 4 ... places.
std::vector<size_t> StableOrder(size_t count, const std::function<bool(size_t, size_t)>& less) {
  std::vector<size_t> places(count), merged(count);
  std::iota(places.begin(), places.end(), size_t{0});
  for (size_t run = 1; run < count; run *= 2) {
    for (size_t begin = 0; begin < count; begin += 2 * run) {
      const auto at = [&](size_t place) {
        return places.begin() + static_cast<ptrdiff_t>(std::min(place, count));
      };
      std::merge(at(begin), at(begin + run), at(begin + run), at(begin + 2 * run),
                 merged.begin() + static_cast<ptrdiff_t>(begin), less);
    }
    places.swap(merged);
  }
  return places;
}

Value WithoutCase(Runtime& runtime, const Value& value) {
  if (!value.is_string()) return value;
  return runtime.String(MapCase(runtime, value.marked(), Case::kLower));
}

}  // namespace switchboard::text::jinja
