// Filters on single values: numbers, defaults, lengths, attributes, JSON.
#include <algorithm>
#include <cmath>
#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "text/template/attributes.h"
#include "text/template/builtins.h"
#include "text/template/compare.h"
#include "text/template/numbers.h"
#include "text/template/operators.h"
#include "text/template/print.h"
#include "text/template/sort_values.h"

namespace switchboard::text::jinja {
namespace {

using Result = absl::StatusOr<Value>;

Result Abs(Runtime& runtime, const Value& value, const Arguments& call) {
  RETURN_IF_ERROR(Bind(call, {}).status());
  if (value.is_integral())
    return Value::Number(value.integer() < 0 ? -value.integer() : value.integer());
  if (value.Is(Kind::kFloat)) return Value::Number(std::abs(value.real()));
  if (value.Is(Kind::kUndefined)) return UndefinedError(value);
  return TypeError(absl::StrCat("bad operand type for abs(): '", TypeName(value), "'"));
}

Result Attribute(Runtime& runtime, const Value& value, const Arguments& call) {
  ASSIGN_OR_RETURN(const std::vector<Value> args, Bind(call, {"name"}));
  return GetAttributeOnly(runtime, value, Print(runtime, args[0]).text());
}

Result Default(Runtime& runtime, const Value& value, const Arguments& call) {
  ASSIGN_OR_RETURN(const std::vector<Value> args, Bind(call, {"default_value", "boolean"}));
  const bool replaces = value.Is(Kind::kUndefined) || (IsTrue(args[1]) && !IsTrue(value));
  if (!replaces) return value;
  return IsGiven(args[0]) ? args[0] : Value::Literal("");
}

Result ToFloat(Runtime& runtime, const Value& value, const Arguments& call) {
  ASSIGN_OR_RETURN(const std::vector<Value> args, Bind(call, {"default"}));
  if (value.Is(Kind::kUndefined)) return UndefinedError(value);
  std::optional<double> number;
  if (value.is_number()) number = value.real();
  if (value.is_string()) runtime.budget()->SpendOnCharacters(value.text().size());
  if (value.is_string()) number = ParseFloat(value.text());
  if (number.has_value()) return Value::Number(*number);
  return IsGiven(args[0]) ? args[0] : Value::Number(0.0);
}

Result ToInt(Runtime& runtime, const Value& value, const Arguments& call) {
  ASSIGN_OR_RETURN(const std::vector<Value> args, Bind(call, {"default", "base"}));
  ASSIGN_OR_RETURN(const int64_t base, IndexOr(args[1], 10, "base"));
  if (value.Is(Kind::kUndefined)) return UndefinedError(value);
  if (value.is_integral()) return Value::Number(value.integer());
  std::optional<double> real;
  if (value.Is(Kind::kFloat)) real = value.real();
  if (value.is_string()) {
    runtime.budget()->SpendOnCharacters(2 * value.text().size());
    const bool fits = base == 0 || (base >= 2 && base <= 36);
    const std::optional<Int> number =
        fits ? ParseInt(value.text(), static_cast<int>(base)) : std::nullopt;
    if (number.has_value()) return Value::Number(*number);
    real = ParseFloat(value.text());
  }
  if (real.has_value() && std::abs(*real) < kMaxWholeDouble) return Value::Number(Int(*real));
  return IsGiven(args[0]) ? args[0] : Value::Number(Int(0));
}

Result Items(Runtime& runtime, const Value& value, const Arguments& call) {
  RETURN_IF_ERROR(Bind(call, {}).status());
  std::vector<Value> items;
  if (value.Is(Kind::kUndefined)) return runtime.Iterator({});
  if (!value.Is(Kind::kDict)) return TypeError("Can only get item pairs from a mapping.");
  for (const auto& [key, item] : value.As<DictObject>().entries()) {
    if (!runtime.budget()->Spend(1)) break;
    items.push_back(runtime.Tuple({key, item}));
  }
  return runtime.Iterator(std::move(items));
}

Result LengthOf(Runtime& runtime, const Value& value, const Arguments& call) {
  RETURN_IF_ERROR(Bind(call, {}).status());
  ASSIGN_OR_RETURN(const size_t length, Length(value));
  return Value::Number(Int(length));
}

// `value` with its dicts in the order of their keys, as pprint shows them.
absl::StatusOr<Value> WithSortedDicts(Runtime& runtime, const Value& value) {
  RETURN_IF_ERROR(runtime.budget()->status());
  runtime.budget()->Spend(1);
  if (value.Is(Kind::kList) || value.Is(Kind::kTuple)) {
    std::vector<Value> items = value.items();
    for (Value& item : items) {
      ASSIGN_OR_RETURN(item, WithSortedDicts(runtime, item));
    }
    return value.Is(Kind::kList) ? runtime.List(std::move(items)) : runtime.Tuple(std::move(items));
  }
  if (!value.Is(Kind::kDict)) return value;
  std::vector<Value> keys = value.As<DictObject>().Keys();
  SortOrder order;
  order.ignore_case = false;
  order.keys.emplace_back();
  RETURN_IF_ERROR(SortValues(runtime, order, &keys));
  std::vector<DictObject::Entry> entries;
  for (const Value& key : keys) {
    ASSIGN_OR_RETURN(Value item, WithSortedDicts(runtime, *value.As<DictObject>().Find(key)));
    entries.emplace_back(key, std::move(item));
  }
  return Value::Dict(std::move(entries), runtime.budget());
}

// On one line, however long: what is broken over lines is only for people to read.
Result PrettyPrint(Runtime& runtime, const Value& value, const Arguments& call) {
  RETURN_IF_ERROR(Bind(call, {}).status());
  ASSIGN_OR_RETURN(const Value sorted, WithSortedDicts(runtime, value));
  TextBuilder out(runtime.budget());
  ReprTo(sorted, &out);
  return runtime.String(out.Take());
}

// Decimal rounding of the exact binary value, half to even, as Python's round().
double RoundTo(double value, int64_t precision) {
  if (!std::isfinite(value) || precision > 300) return value;
  if (precision < 0) {
    const double scale = std::pow(10.0, static_cast<double>(-precision));
    return std::isfinite(scale) ? std::nearbyint(value / scale) * scale : 0;
  }
  const std::string digits = absl::StrFormat("%.*f", static_cast<int>(precision), value);
  return ParseFloat(digits).value_or(value);
}

Result Round(Runtime& runtime, const Value& value, const Arguments& call) {
  ASSIGN_OR_RETURN(const std::vector<Value> args, Bind(call, {"precision", "method"}));
  ASSIGN_OR_RETURN(const int64_t precision, IndexOr(args[0], 0, "precision"));
  const std::string method = args[1].is_string() ? args[1].text() : "common";
  if (method != "common" && method != "ceil" && method != "floor") {
    return absl::InvalidArgumentError("method must be common, ceil or floor");
  }
  if (value.Is(Kind::kUndefined)) return UndefinedError(value);
  if (!value.is_number()) {
    return TypeError(absl::StrCat("type ", TypeName(value), " has no rounding"));
  }
  if (method == "common") {
    if (value.is_integral() && precision >= 0) return Value::Number(value.integer());
    const double rounded = RoundTo(value.real(), precision);
    return value.is_integral() ? Value::Number(Int(rounded)) : Value::Number(rounded);
  }
  const double scale = std::pow(10.0, static_cast<double>(precision));
  const double scaled = value.real() * scale;
  // Python goes through a whole number here, so that no negative zero comes out.
  return Value::Number(((method == "ceil" ? std::ceil(scaled) : std::floor(scaled)) + 0.0) / scale);
}

// One level's indent: so many blanks, or the string itself.
absl::StatusOr<std::optional<std::string>> ReadIndent(const Value& indent) {
  if (!IsGiven(indent) || indent.Is(Kind::kNone)) return std::optional<std::string>();
  if (indent.is_string()) return std::optional<std::string>(indent.text());
  ASSIGN_OR_RETURN(const int64_t blanks, ToIndex(indent, "indent"));
  if (blanks > 1000) return absl::InvalidArgumentError("indent must be at most 1000");
  return std::optional<std::string>(
      std::string(static_cast<size_t>(std::max<int64_t>(blanks, 0)), ' '));
}

Result ToJson(Runtime& runtime, const Value& value, const Arguments& call) {
  ASSIGN_OR_RETURN(const std::vector<Value> args,
                   Bind(call, {"ensure_ascii", "indent", "separators", "sort_keys"}));
  JsonLayout layout;
  layout.ensure_ascii = IsTrue(args[0]);
  layout.sort_keys = IsTrue(args[3]);
  ASSIGN_OR_RETURN(layout.indent, ReadIndent(args[1]));
  if (layout.indent.has_value()) layout.item_separator = ",";
  if (IsGiven(args[2]) && !args[2].Is(Kind::kNone)) {
    ASSIGN_OR_RETURN(const std::vector<Value> pair, Iterate(args[2], runtime.budget()));
    if (pair.size() != 2 || !pair[0].is_string() || !pair[1].is_string()) {
      return TypeError("separators must be two strings");
    }
    layout.item_separator = pair[0].text();
    layout.key_separator = pair[1].text();
  }
  TextBuilder out(runtime.budget());
  RETURN_IF_ERROR(JsonTo(value, layout, &out));
  return runtime.String(out.Take());
}

constexpr NamedBuiltin kFilters[] = {
    {"abs", Abs},         {"attr", Attribute},     {"count", LengthOf}, {"d", Default},
    {"default", Default}, {"float", ToFloat},      {"int", ToInt},      {"items", Items},
    {"length", LengthOf}, {"pprint", PrettyPrint}, {"round", Round},    {"tojson", ToJson},
};

}  // namespace

absl::Span<const NamedBuiltin> ValueFilters() { return kFilters; }

Builtin FindFilter(absl::string_view name) {
  for (const absl::Span<const NamedBuiltin> table :
       {TextFilters(), LayoutFilters(), SequenceFilters(), SelectionFilters(), ValueFilters()}) {
    for (const NamedBuiltin& entry : table) {
      if (entry.name == name) return entry.builtin;
    }
  }
  return nullptr;
}

}  // namespace switchboard::text::jinja
