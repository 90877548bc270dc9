#include "text/template/operators.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "absl/strings/str_cat.h"
#include "text/template/code_points.h"
#include "text/template/compare.h"
#include "text/template/format.h"
#include "text/template/numbers.h"
#include "text/template/print.h"
#include "text/template/text_builder.h"

namespace switchboard::text::jinja {
namespace {

absl::Status ZeroDivision() { return absl::InvalidArgumentError("division by zero"); }
absl::Status TooLarge() { return absl::InvalidArgumentError("a number is too large"); }

absl::Status Unsupported(absl::string_view op, const Value& a, const Value& b) {
  if (a.Is(Kind::kUndefined)) return UndefinedError(a);
  if (b.Is(Kind::kUndefined)) return UndefinedError(b);
  return TypeError(absl::StrCat("unsupported operand type(s) for ", op, ": '", TypeName(a),
                                "' and '", TypeName(b), "'"));
}

// Floored, as Python divides.
Int FloorDivide(Int a, Int b) {
  const Int quotient = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

double FloorModulo(double a, double b) {
  const double rest = std::fmod(a, b);
  if (rest == 0) return std::copysign(0.0, b);
  return (rest < 0) != (b < 0) ? rest + b : rest;
}

absl::StatusOr<Value> IntPower(Int base, Int exponent) {
  if (exponent < 0) {
    if (base == 0) return absl::InvalidArgumentError("0.0 cannot be raised to a negative power");
    return Value::Number(std::pow(static_cast<double>(base), static_cast<double>(exponent)));
  }
  if (base == 0 || base == 1) return Value::Number(exponent == 0 ? Int(1) : base);
  if (base == -1) return Value::Number(exponent % 2 == 0 ? Int(1) : Int(-1));
  Int result = 1;
  for (; exponent > 0; --exponent) {  // at most 123 times: the magnitude doubles at least
    if (std::abs(static_cast<double>(result) * static_cast<double>(base)) > kMaxWholeDouble) {
      return TooLarge();
    }
    result *= base;
  }
  return Value::Number(result);
}

absl::StatusOr<Value> IntOperation(absl::string_view op, Int a, Int b) {
  const double x = static_cast<double>(a), y = static_cast<double>(b);
  if (op == "+" || op == "-") {
    const Int result = op == "+" ? a + b : a - b;  // operands are below 1e37, so this is exact
    if (std::abs(static_cast<double>(result)) > kMaxWholeDouble) return TooLarge();
    return Value::Number(result);
  }
  if (op == "*") {
    if (std::abs(x * y) > kMaxWholeDouble) return TooLarge();
    return Value::Number(a * b);
  }
  if (op == "**") return IntPower(a, b);
  if (b == 0) return ZeroDivision();
  if (op == "/") return Value::Number(x / y);
  const Int quotient = FloorDivide(a, b);
  return Value::Number(op == "//" ? quotient : a - quotient * b);
}

absl::StatusOr<Value> FloatOperation(absl::string_view op, double a, double b) {
  if (op == "+") return Value::Number(a + b);
  if (op == "-") return Value::Number(a - b);
  if (op == "*") return Value::Number(a * b);
  if (op == "**") {
    if (a == 0 && b < 0) return ZeroDivision();
    if (a < 0 && std::floor(b) != b) {
      return absl::InvalidArgumentError("a power of a negative number is no real number");
    }
    const double power = std::pow(a, b);
    if (std::isinf(power) && std::isfinite(a) && std::isfinite(b)) return TooLarge();
    return Value::Number(power);
  }
  if (b == 0) return ZeroDivision();
  if (op == "/") return Value::Number(a / b);
  const double rest = FloorModulo(a, b);
  if (op == "%") return Value::Number(rest);
  const double quotient = (a - rest) / b, whole = std::floor(quotient);
  if (quotient == 0) return Value::Number(std::copysign(0.0, a / b));
  return Value::Number(quotient - whole > 0.5 ? whole + 1 : whole);
}

bool IsSequence(const Value& value) { return value.Is(Kind::kList) || value.Is(Kind::kTuple); }

Value SameKind(Runtime& runtime, const Value& like, std::vector<Value> items) {
  return like.Is(Kind::kTuple) ? runtime.Tuple(std::move(items)) : runtime.List(std::move(items));
}

absl::StatusOr<Value> Add(Runtime& runtime, const Value& a, const Value& b) {
  if (a.is_string() && b.is_string()) {
    const bool escapes = a.As<StringObject>().markup || b.As<StringObject>().markup;
    TextBuilder text(runtime.budget());
    text.Append(escapes ? EscapeHtml(runtime, a) : a.marked());
    text.Append(escapes ? EscapeHtml(runtime, b) : b.marked());
    return escapes ? Value::Markup(text.Take(), runtime.budget()) : runtime.String(text.Take());
  }
  if (IsSequence(a) && a.kind() == b.kind()) {
    runtime.budget()->Spend(a.items().size() + b.items().size());
    std::vector<Value> items = a.items();
    items.insert(items.end(), b.items().begin(), b.items().end());
    return SameKind(runtime, a, std::move(items));
  }
  if ((a.is_string() || IsSequence(a)) && !b.Is(Kind::kUndefined)) {
    return TypeError(absl::StrCat("can only concatenate ", TypeName(a), " (not \"", TypeName(b),
                                  "\") to ", TypeName(a)));
  }
  return Unsupported("+", a, b);
}

absl::StatusOr<Value> Repeat(Runtime& runtime, const Value& what, Int times) {
  const size_t count = static_cast<size_t>(std::clamp<Int>(times, 0, Int(1) << 40));
  if (what.is_string()) {
    TextBuilder text(runtime.budget());
    text.AppendRepeated(what.marked(), count);
    return runtime.String(text.Take());
  }
  std::vector<Value> items;
  // The list that is being made is not on the budget yet.
  const size_t bytes_each = what.items().size() * sizeof(Value);
  size_t held = 0;
  for (size_t i = 0; i < count && bytes_each > 0; ++i) {
    runtime.budget()->Hold(bytes_each);
    held += bytes_each;
    if (!runtime.budget()->Spend(1 + what.items().size())) break;
    items.insert(items.end(), what.items().begin(), what.items().end());
  }
  Value result = SameKind(runtime, what, std::move(items));
  runtime.budget()->Release(held);
  return result;
}

// Where a bound of a slice lies among `length` items (Python's PySlice_AdjustIndices).
int64_t ClampBound(int64_t bound, int64_t length, bool backwards) {
  if (bound < 0) bound += length;
  if (bound < 0) return backwards ? -1 : 0;
  return std::min(bound, backwards ? length - 1 : length);
}

}  // namespace

absl::StatusOr<Value> BinaryOperation(Runtime& runtime, absl::string_view op, const Value& a,
                                      const Value& b) {
  if (a.is_integral() && b.is_integral()) return IntOperation(op, a.integer(), b.integer());
  if (a.is_number() && b.is_number()) return FloatOperation(op, a.real(), b.real());
  if (op == "+") return Add(runtime, a, b);
  if (op == "%" && a.is_string()) return FormatPercent(runtime, a, b);
  if (op == "*" && (a.is_string() || IsSequence(a)) && b.is_integral()) {
    return Repeat(runtime, a, b.integer());
  }
  if (op == "*" && (b.is_string() || IsSequence(b)) && a.is_integral()) {
    return Repeat(runtime, b, a.integer());
  }
  return Unsupported(op, a, b);
}

absl::StatusOr<Value> Negate(const Value& value) {
  if (value.is_integral()) return Value::Number(-value.integer());
  if (value.Is(Kind::kFloat)) return Value::Number(-value.real());
  if (value.Is(Kind::kUndefined)) return UndefinedError(value);
  return TypeError(absl::StrCat("bad operand type for unary -: '", TypeName(value), "'"));
}

absl::StatusOr<Value> Positive(const Value& value) {
  if (value.is_integral()) return Value::Number(value.integer());
  if (value.Is(Kind::kFloat)) return value;
  if (value.Is(Kind::kUndefined)) return UndefinedError(value);
  return TypeError(absl::StrCat("bad operand type for unary +: '", TypeName(value), "'"));
}

Value Concatenate(Runtime& runtime, const std::vector<Value>& values) {
  TextBuilder text(runtime.budget());
  for (const Value& value : values) {
    if (runtime.autoescape) {
      text.Append(EscapeHtml(runtime, value));
    } else {
      PrintTo(value, &text);
    }
  }
  return runtime.autoescape ? Value::Markup(text.Take(), runtime.budget())
                            : runtime.String(text.Take());
}

std::optional<Value> FindItem(Runtime& runtime, const Value& container, const Value& key) {
  if (container.Is(Kind::kDict)) {
    if (key.is_string()) runtime.budget()->SpendOnBytes(key.text().size());
    const Value* value = container.As<DictObject>().Find(key);
    return value == nullptr ? std::nullopt : std::optional<Value>(*value);
  }
  const bool sequence =
      IsSequence(container) || container.is_string() || container.Is(Kind::kRange);
  if (!sequence || !key.is_integral()) return std::nullopt;
  const absl::StatusOr<size_t> length = Length(container);
  Int index = key.integer();
  if (index < 0) index += Int(*length);
  if (index < 0 || index >= Int(*length)) return std::nullopt;
  const size_t at = static_cast<size_t>(index);
  if (IsSequence(container)) return container.items()[at];
  if (container.Is(Kind::kRange)) {
    return container.As<RangeObject>().At(static_cast<int64_t>(at));
  }
  runtime.budget()->SpendOnBytes(at);
  const absl::string_view text = container.text();
  const size_t begin = ByteOfCodePoint(text, at);
  const size_t end = begin + ByteOfCodePoint(text.substr(begin), 1);
  return runtime.String(container.marked().Slice(begin, end));
}

absl::StatusOr<int64_t> ToIndex(const Value& value, absl::string_view what) {
  if (value.Is(Kind::kUndefined)) return UndefinedError(value);
  if (!value.is_integral()) {
    return TypeError(absl::StrCat(what, " must be a whole number, not ", TypeName(value)));
  }
  constexpr Int kLowest = std::numeric_limits<int64_t>::min() / 4;
  constexpr Int kHighest = std::numeric_limits<int64_t>::max() / 4;
  return static_cast<int64_t>(std::clamp(value.integer(), kLowest, kHighest));
}

absl::StatusOr<int64_t> IndexOr(const Value& argument, int64_t otherwise, absl::string_view what) {
  if (!IsGiven(argument) || argument.Is(Kind::kNone)) return otherwise;
  return ToIndex(argument, what);
}

absl::StatusOr<Value> Slice(Runtime& runtime, const Value& container, const Value& start,
                            const Value& stop, const Value& step) {
  if (container.Is(Kind::kUndefined)) return UndefinedError(container);
  const bool text = container.is_string();
  if (!text && !IsSequence(container) && !container.Is(Kind::kRange)) {
    return TypeError(absl::StrCat("'", TypeName(container), "' object has no slices"));
  }
  ASSIGN_OR_RETURN(const int64_t stride, IndexOr(step, 1, "a slice's step"));
  if (stride == 0) return absl::InvalidArgumentError("slice step cannot be zero");
  ASSIGN_OR_RETURN(const size_t size, Length(container));
  const int64_t length = static_cast<int64_t>(size);
  const bool backwards = stride < 0;
  int64_t from = backwards ? length - 1 : 0, to = backwards ? -1 : length;
  if (!start.Is(Kind::kNone)) {
    ASSIGN_OR_RETURN(from, ToIndex(start, "a slice's bound"));
    from = ClampBound(from, length, backwards);
  }
  if (!stop.Is(Kind::kNone)) {
    ASSIGN_OR_RETURN(to, ToIndex(stop, "a slice's bound"));
    to = ClampBound(to, length, backwards);
  }
  if (text && stride == 1) {
    runtime.budget()->SpendOnBytes(container.text().size());
    const size_t begin = ByteOfCodePoint(container.text(), static_cast<size_t>(from));
    const size_t count = static_cast<size_t>(std::max<int64_t>(to - from, 0));
    const size_t end =
        begin + ByteOfCodePoint(absl::string_view(container.text()).substr(begin), count);
    TextBuilder slice(runtime.budget());
    slice.AppendSlice(container.marked(), begin, end);
    return runtime.String(slice.Take());
  }
  ASSIGN_OR_RETURN(const std::vector<Value> all, Iterate(container, runtime.budget()));
  RETURN_IF_ERROR(runtime.budget()->status());
  std::vector<Value> items;
  TextBuilder characters(runtime.budget());
  for (int64_t i = from; backwards ? i > to : i < to; i += stride) {
    const Value& item = all[static_cast<size_t>(i)];
    if (text) {
      characters.Append(item.marked());
    } else {
      items.push_back(item);
    }
  }
  return text ? runtime.String(characters.Take()) : SameKind(runtime, container, std::move(items));
}

}  // namespace switchboard::text::jinja
