// What stands behind `is`.
#include <cmath>

#include "absl/strings/str_cat.h"
#include "text/template/builtins.h"
#include "text/template/code_points.h"
#include "text/template/compare.h"
#include "text/template/operators.h"
#include "text/template/print.h"

namespace switchboard::text::jinja {
namespace {

using Result = absl::StatusOr<Value>;

// A test that looks at the value alone.
template <bool (*holds)(const Value&)>
Result Simple(Runtime& runtime, const Value& value, const Arguments& call) {
  RETURN_IF_ERROR(Bind(call, {}).status());
  return Value::Bool(holds(value));
}

bool IsBoolean(const Value& v) { return v.Is(Kind::kBool); }
bool IsCallable(const Value& v) {
  // Undefined has a call that fails, which is a call.
  return v.Is(Kind::kUndefined) || (v.Is(Kind::kEntity) && v.As<Entity>().callable());
}
bool IsDefined(const Value& v) { return !v.Is(Kind::kUndefined); }
bool IsEscaped(const Value& v) { return v.is_string() && v.As<StringObject>().markup; }
bool IsFalse(const Value& v) { return v.Is(Kind::kBool) && !v.boolean(); }
bool IsFloat(const Value& v) { return v.Is(Kind::kFloat); }
bool IsInteger(const Value& v) { return v.Is(Kind::kInt); }
bool IsMapping(const Value& v) { return v.Is(Kind::kDict); }
bool IsNone(const Value& v) { return v.Is(Kind::kNone); }
bool IsNumber(const Value& v) { return v.is_number(); }
bool IsSequence(const Value& v) {
  // What has a length and items by index; undefined pretends to.
  return v.is_string() || v.Is(Kind::kBytes) || v.Is(Kind::kList) || v.Is(Kind::kTuple) ||
         v.Is(Kind::kDict) || v.Is(Kind::kRange) || v.Is(Kind::kUndefined);
}
bool IsString(const Value& v) { return v.is_string(); }
bool IsTrueItself(const Value& v) { return v.Is(Kind::kBool) && v.boolean(); }
bool IsUndefined(const Value& v) { return v.Is(Kind::kUndefined); }
bool IsIterableValue(const Value& v) { return IsIterable(v); }

template <char op>
Result CompareWith(Runtime& runtime, const Value& value, const Arguments& call) {
  ASSIGN_OR_RETURN(const std::vector<Value> args, Bind(call, {"other"}));
  if (!IsGiven(args[0])) return TypeError("the value to compare with is missing");
  constexpr absl::string_view kSymbol = op == '='   ? "=="
                                        : op == '!' ? "!="
                                        : op == 'l' ? "<="
                                        : op == 'g' ? ">="
                                        : op == '<' ? "<"
                                        : op == '>' ? ">"
                                                    : "in";
  ASSIGN_OR_RETURN(const bool result, Compare(kSymbol, value, args[0], runtime.budget()));
  return Value::Bool(result);
}

Result SameAs(Runtime& runtime, const Value& value, const Arguments& call) {
  ASSIGN_OR_RETURN(const std::vector<Value> args, Bind(call, {"other"}));
  // Equal texts count as the same: Python interns the literals people compare this way.
  const bool texts = value.is_string() && args[0].is_string() && value.text() == args[0].text();
  return Value::Bool(texts || value.SameAs(args[0]));
}

// value % divisor.
Result Remainder(Runtime& runtime, const Value& value, const Value& divisor) {
  if (value.is_string()) return TypeError("a number is required, not str");
  return BinaryOperation(runtime, "%", value, divisor);
}

template <int rest>
Result ModuloTwo(Runtime& runtime, const Value& value, const Arguments& call) {
  RETURN_IF_ERROR(Bind(call, {}).status());
  ASSIGN_OR_RETURN(const Value remainder, Remainder(runtime, value, Value::Number(Int(2))));
  return Value::Bool(remainder.real() == rest);
}

Result DivisibleBy(Runtime& runtime, const Value& value, const Arguments& call) {
  ASSIGN_OR_RETURN(const std::vector<Value> args, Bind(call, {"num"}));
  ASSIGN_OR_RETURN(const Value remainder, Remainder(runtime, value, args[0]));
  return Value::Bool(remainder.real() == 0);
}

template <bool upper>
Result HasCase(Runtime& runtime, const Value& value, const Arguments& call) {
  const Value text = runtime.String(Print(runtime, value));
  return FindMethod(Kind::kString, upper ? "isupper" : "islower")(runtime, text, call);
}

Result IsFilter(Runtime& runtime, const Value& value, const Arguments& call) {
  RETURN_IF_ERROR(Bind(call, {}).status());
  return Value::Bool(value.is_string() && FindFilter(value.text()) != nullptr);
}

Result IsTest(Runtime& runtime, const Value& value, const Arguments& call) {
  RETURN_IF_ERROR(Bind(call, {}).status());
  return Value::Bool(value.is_string() && FindTest(value.text()) != nullptr);
}

constexpr NamedBuiltin kTests[] = {
    {"!=", CompareWith<'!'>},
    {"<", CompareWith<'<'>},
    {"<=", CompareWith<'l'>},
    {"==", CompareWith<'='>},
    {">", CompareWith<'>'>},
    {">=", CompareWith<'g'>},
    {"boolean", Simple<IsBoolean>},
    {"callable", Simple<IsCallable>},
    {"defined", Simple<IsDefined>},
    {"divisibleby", DivisibleBy},
    {"eq", CompareWith<'='>},
    {"equalto", CompareWith<'='>},
    {"escaped", Simple<IsEscaped>},
    {"even", ModuloTwo<0>},
    {"false", Simple<IsFalse>},
    {"filter", IsFilter},
    {"float", Simple<IsFloat>},
    {"ge", CompareWith<'g'>},
    {"greaterthan", CompareWith<'>'>},
    {"gt", CompareWith<'>'>},
    {"in", CompareWith<'i'>},
    {"integer", Simple<IsInteger>},
    {"iterable", Simple<IsIterableValue>},
    {"le", CompareWith<'l'>},
    {"lessthan", CompareWith<'<'>},
    {"lower", HasCase<false>},
    {"lt", CompareWith<'<'>},
    {"mapping", Simple<IsMapping>},
    {"ne", CompareWith<'!'>},
    {"none", Simple<IsNone>},
    {"number", Simple<IsNumber>},
    {"odd", ModuloTwo<1>},
    {"sameas", SameAs},
    {"sequence", Simple<IsSequence>},
    {"string", Simple<IsString>},
    {"test", IsTest},
    {"true", Simple<IsTrueItself>},
    {"undefined", Simple<IsUndefined>},
    {"upper", HasCase<true>},
};

}  // namespace

Builtin FindTest(absl::string_view name) {
  for (const NamedBuiltin& entry : kTests) {
    if (entry.name == name) return entry.builtin;
  }
  return nullptr;
}

}  // namespace switchboard::text::jinja
