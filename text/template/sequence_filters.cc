// Filters over sequences that order or regroup: first, last, join, sort, unique, groupby ...
#include <algorithm>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "text/template/attributes.h"
#include "text/template/builtins.h"
#include "text/template/code_points.h"
#include "text/template/compare.h"
#include "text/template/operators.h"
#include "text/template/print.h"
#include "text/template/sort_values.h"
#include "text/template/text_builder.h"
#include "text/template/text_ops.h"

namespace switchboard::text::jinja {
namespace {

using Result = absl::StatusOr<Value>;

Result First(Runtime& runtime, const Value& value, const Arguments& call) {
  RETURN_IF_ERROR(Bind(call, {}).status());
  ASSIGN_OR_RETURN(const std::vector<Value> items, Iterate(value, runtime.budget()));
  return items.empty() ? Value::Undefined("No first item, sequence was empty.") : items.front();
}

Result Last(Runtime& runtime, const Value& value, const Arguments& call) {
  RETURN_IF_ERROR(Bind(call, {}).status());
  if (value.Is(Kind::kIterator)) return TypeError("'generator' object is not reversible");
  ASSIGN_OR_RETURN(const std::vector<Value> items, Iterate(value, runtime.budget()));
  return items.empty() ? Value::Undefined("No last item, sequence was empty.") : items.back();
}

Result Join(Runtime& runtime, const Value& value, const Arguments& call) {
  ASSIGN_OR_RETURN(const std::vector<Value> args, Bind(call, {"d", "attribute"}));
  ASSIGN_OR_RETURN(const AttributePath attribute, AttributePath::Parse(args[1]));
  ASSIGN_OR_RETURN(const std::vector<Value> items, Iterate(value, runtime.budget()));
  TextBuilder out(runtime.budget());
  for (size_t i = 0; i < items.size() && runtime.budget()->Spend(1); ++i) {
    ASSIGN_OR_RETURN(const Value item, attribute.Of(runtime, items[i]));
    const auto append = [&](const Value& part) {
      out.Append(runtime.autoescape ? EscapeHtml(runtime, part) : Print(runtime, part));
    };
    if (i > 0 && IsGiven(args[0])) append(args[0]);
    append(item);
  }
  return runtime.autoescape ? Value::Markup(out.Take(), runtime.budget())
                            : runtime.String(out.Take());
}

Result ToList(Runtime& runtime, const Value& value, const Arguments& call) {
  RETURN_IF_ERROR(Bind(call, {}).status());
  ASSIGN_OR_RETURN(std::vector<Value> items, Iterate(value, runtime.budget()));
  return runtime.List(std::move(items));
}

Result Reverse(Runtime& runtime, const Value& value, const Arguments& call) {
  RETURN_IF_ERROR(Bind(call, {}).status());
  if (value.is_string()) {
    return Slice(runtime, value, Value::None(), Value::None(), Value::Number(Int(-1)));
  }
  ASSIGN_OR_RETURN(std::vector<Value> items, Iterate(value, runtime.budget()));
  std::reverse(items.begin(), items.end());
  return runtime.Iterator(std::move(items));
}

Result Sort(Runtime& runtime, const Value& value, const Arguments& call) {
  ASSIGN_OR_RETURN(const std::vector<Value> args,
                   Bind(call, {"reverse", "case_sensitive", "attribute"}));
  ASSIGN_OR_RETURN(std::vector<Value> items, Iterate(value, runtime.budget()));
  SortOrder order;
  order.reverse = IsTrue(args[0]);
  order.ignore_case = !IsTrue(args[1]);
  ASSIGN_OR_RETURN(order.keys, ParseSortKeys(args[2]));
  RETURN_IF_ERROR(SortValues(runtime, order, &items));
  return runtime.List(std::move(items));
}

Result Unique(Runtime& runtime, const Value& value, const Arguments& call) {
  ASSIGN_OR_RETURN(const std::vector<Value> args, Bind(call, {"case_sensitive", "attribute"}));
  ASSIGN_OR_RETURN(const AttributePath attribute, AttributePath::Parse(args[1]));
  ASSIGN_OR_RETURN(const std::vector<Value> items, Iterate(value, runtime.budget()));
  absl::flat_hash_set<std::string> seen;
  std::vector<Value> kept;
  for (const Value& item : items) {
    ASSIGN_OR_RETURN(Value key, attribute.Of(runtime, item));
    if (!IsTrue(args[0])) key = WithoutCase(runtime, key);
    std::string text;
    if (!AppendKey(key, &text)) {
      return TypeError(absl::StrCat("unhashable type: '", TypeName(key), "'"));
    }
    if (!runtime.budget()->Spend(1 + text.size() / 64)) break;
    if (seen.insert(std::move(text)).second) kept.push_back(item);
  }
  return runtime.Iterator(std::move(kept));
}

// The least item, or the greatest; of equal ones the first.
template <bool greatest>
Result Extreme(Runtime& runtime, const Value& value, const Arguments& call) {
  ASSIGN_OR_RETURN(const std::vector<Value> args, Bind(call, {"case_sensitive", "attribute"}));
  ASSIGN_OR_RETURN(const AttributePath attribute, AttributePath::Parse(args[1]));
  ASSIGN_OR_RETURN(const std::vector<Value> items, Iterate(value, runtime.budget()));
  if (items.empty()) return Value::Undefined("No aggregated item, sequence was empty.");
  Value best, best_key;
  for (size_t i = 0; i < items.size(); ++i) {
    ASSIGN_OR_RETURN(Value key, attribute.Of(runtime, items[i]));
    if (!IsTrue(args[0])) key = WithoutCase(runtime, key);
    if (i > 0) {
      ASSIGN_OR_RETURN(const bool better, greatest ? Less(best_key, key, runtime.budget())
                                                   : Less(key, best_key, runtime.budget()));
      if (!better) continue;
    }
    best = items[i];
    best_key = key;
  }
  return best;
}

Result Sum(Runtime& runtime, const Value& value, const Arguments& call) {
  ASSIGN_OR_RETURN(const std::vector<Value> args, Bind(call, {"attribute", "start"}));
  ASSIGN_OR_RETURN(const AttributePath attribute, AttributePath::Parse(args[0]));
  ASSIGN_OR_RETURN(const std::vector<Value> items, Iterate(value, runtime.budget()));
  Value sum = IsGiven(args[1]) ? args[1] : Value::Number(Int(0));
  for (const Value& item : items) {
    ASSIGN_OR_RETURN(const Value part, attribute.Of(runtime, item));
    ASSIGN_OR_RETURN(sum, BinaryOperation(runtime, "+", sum, part));
    RETURN_IF_ERROR(runtime.budget()->status());
  }
  return sum;
}

Result DictSort(Runtime& runtime, const Value& value, const Arguments& call) {
  ASSIGN_OR_RETURN(const std::vector<Value> args, Bind(call, {"case_sensitive", "by", "reverse"}));
  if (!value.Is(Kind::kDict)) {
    return value.Is(Kind::kUndefined)
               ? UndefinedError(value)
               : TypeError(absl::StrCat("dictsort wants a dict, got ", TypeName(value)));
  }
  const std::string by = args[1].is_string() ? args[1].text() : "key";
  if (by != "key" && by != "value") {
    return TypeError("You can only sort by either \"key\" or \"value\"");
  }
  std::vector<Value> items;
  for (const auto& [key, item] : value.As<DictObject>().entries()) {
    if (!runtime.budget()->Spend(1)) break;
    items.push_back(runtime.Tuple({key, item}));
  }
  SortOrder order;
  order.reverse = IsTrue(args[2]);
  order.as_list = false;
  order.ignore_case = !IsTrue(args[0]);
  ASSIGN_OR_RETURN(order.keys, ParseSortKeys(Value::Number(Int(by == "key" ? 0 : 1))));
  RETURN_IF_ERROR(SortValues(runtime, order, &items));
  return runtime.List(std::move(items));
}

Value Group(Runtime& runtime, Value grouper, std::vector<Value> items) {
  std::vector<Value> pair = {std::move(grouper), runtime.List(std::move(items))};
  return Value::FromObject(
      Kind::kTuple, std::make_shared<SequenceObject>(std::move(pair), true, runtime.budget()));
}

Result GroupBy(Runtime& runtime, const Value& value, const Arguments& call) {
  ASSIGN_OR_RETURN(const std::vector<Value> args,
                   Bind(call, {"attribute", "default", "case_sensitive"}));
  ASSIGN_OR_RETURN(const AttributePath attribute, AttributePath::Parse(args[0], args[1]));
  ASSIGN_OR_RETURN(std::vector<Value> items, Iterate(value, runtime.budget()));
  SortOrder order;
  order.as_list = false;
  order.ignore_case = !IsTrue(args[2]);
  order.keys = {attribute};
  RETURN_IF_ERROR(SortValues(runtime, order, &items));
  std::vector<Value> groups, members;
  Value key, name;
  for (const Value& item : items) {
    ASSIGN_OR_RETURN(const Value own_name, attribute.Of(runtime, item));
    const Value own_key = order.ignore_case ? WithoutCase(runtime, own_name) : own_name;
    if (!members.empty() && !Equal(key, own_key, runtime.budget())) {
      groups.push_back(Group(runtime, name, std::move(members)));
      members.clear();
    }
    if (members.empty()) name = own_name;
    key = own_key;
    members.push_back(item);
  }
  if (!members.empty()) groups.push_back(Group(runtime, name, std::move(members)));
  return runtime.List(std::move(groups));
}

Result Batch(Runtime& runtime, const Value& value, const Arguments& call) {
  ASSIGN_OR_RETURN(const std::vector<Value> args, Bind(call, {"linecount", "fill_with"}));
  ASSIGN_OR_RETURN(const int64_t size, ToIndex(args[0], "linecount"));
  ASSIGN_OR_RETURN(const std::vector<Value> items, Iterate(value, runtime.budget()));
  if (size <= 0) return absl::InvalidArgumentError("batch: linecount must be positive");
  std::vector<Value> batches;
  const size_t step = static_cast<size_t>(size);
  for (size_t i = 0; i < items.size() && runtime.budget()->Spend(1); i += step) {
    const size_t end = std::min(i + step, items.size());
    std::vector<Value> batch(items.begin() + static_cast<ptrdiff_t>(i),
                             items.begin() + static_cast<ptrdiff_t>(end));
    const bool fills = IsGiven(args[1]) && !args[1].Is(Kind::kNone);
    while (fills && batch.size() < step && runtime.budget()->Spend(1)) batch.push_back(args[1]);
    batches.push_back(runtime.List(std::move(batch)));
  }
  return runtime.Iterator(std::move(batches));
}

// So many slices of nearly equal length, the longer ones first.
Result SliceInto(Runtime& runtime, const Value& value, const Arguments& call) {
  ASSIGN_OR_RETURN(const std::vector<Value> args, Bind(call, {"slices", "fill_with"}));
  ASSIGN_OR_RETURN(const int64_t count, ToIndex(args[0], "slices"));
  ASSIGN_OR_RETURN(const std::vector<Value> items, Iterate(value, runtime.budget()));
  if (count <= 0) return absl::InvalidArgumentError("slice: slices must be positive");
  const size_t slices = static_cast<size_t>(count);
  const size_t each = items.size() / slices, longer = items.size() % slices;
  const bool fills = IsGiven(args[1]) && !args[1].Is(Kind::kNone);
  std::vector<Value> result;
  auto at = items.begin();
  for (size_t i = 0; i < slices && runtime.budget()->Spend(1); ++i) {
    const auto end = at + static_cast<ptrdiff_t>(each + (i < longer ? 1 : 0));
    std::vector<Value> slice(at, end);
    if (fills && i >= longer) slice.push_back(args[1]);
    result.push_back(runtime.List(std::move(slice)));
    at = end;
  }
  return runtime.Iterator(std::move(result));
}

constexpr NamedBuiltin kFilters[] = {
    {"batch", Batch},     {"dictsort", DictSort}, {"first", First},
    {"groupby", GroupBy}, {"join", Join},         {"last", Last},
    {"list", ToList},     {"max", Extreme<true>}, {"min", Extreme<false>},
    {"reverse", Reverse}, {"slice", SliceInto},   {"sort", Sort},
    {"sum", Sum},         {"unique", Unique},
};

}  // namespace

absl::Span<const NamedBuiltin> SequenceFilters() { return kFilters; }

}  // namespace switchboard::text::jinja
