// The half of the interpreter that computes expressions.
#include "absl/strings/str_cat.h"
#include "text/template/attributes.h"
#include "text/template/builtins.h"
#include "text/template/compare.h"
#include "text/template/interpreter.h"
#include "text/template/operators.h"

namespace switchboard::text::jinja {

absl::StatusOr<Value> Interpreter::Evaluate(const Expr& expr) {
  const Level level(this);
  absl::StatusOr<Value> result =
      level.status().ok() ? Dispatch(expr) : absl::StatusOr<Value>(level.status());
  if (!result.ok() && error_line_ == 0) error_line_ = expr.line;
  return result;
}

absl::StatusOr<Value> Interpreter::Dispatch(const Expr& expr) {
  switch (expr.kind) {
    case Expr::kConstant:
      return expr.constant;
    case Expr::kName:
      return Lookup(expr.name);
    case Expr::kTuple:
    case Expr::kList:
    case Expr::kConcat:
      return Items(expr);
    case Expr::kDict:
      return DictLiteral(expr);
    case Expr::kAttribute:
      return Attribute(expr);
    case Expr::kItem:
      return Item(expr);
    case Expr::kSlice:
      return SliceOf(expr);
    case Expr::kCall:
      return Call(expr, nullptr);
    case Expr::kFilter:
      return Filter(expr);
    case Expr::kTest:
      return Test(expr);
    case Expr::kNegative:
    case Expr::kPositive:
      return Sign(expr);
    case Expr::kBinary:
      return Binary(expr);
    case Expr::kCompare:
      return Comparison(expr);
    case Expr::kNot:
    case Expr::kAnd:
    case Expr::kOr:
      return Logic(expr);
    case Expr::kConditional:
      return Conditional(expr);
  }
  return Value();
}

absl::StatusOr<Value> Interpreter::EvaluateIn(std::shared_ptr<Scope> scope, const Expr& expr) {
  std::swap(scope_, scope);
  absl::StatusOr<Value> result = Evaluate(expr);
  std::swap(scope_, scope);
  return result;
}

// Variables of the template, then of the context, then functions.
absl::StatusOr<Value> Interpreter::Lookup(const std::string& name) {
  if (const Value* value = scope_->Find(name)) return *value;
  if (const Value* value = context_.As<DictObject>().Find(name)) return *value;
  if (const Builtin function = FindFunction(name)) return MakeFunction(name, function);
  return Value::Undefined(absl::StrCat("'", name, "' is undefined"));
}

absl::StatusOr<std::vector<Value>> Interpreter::EvaluateAll(const std::vector<ExprPtr>& exprs) {
  std::vector<Value> values;
  values.reserve(exprs.size());
  for (const ExprPtr& expr : exprs) {
    ASSIGN_OR_RETURN(Value value, Evaluate(*expr));
    values.push_back(std::move(value));
  }
  return values;
}

absl::StatusOr<Value> Interpreter::Items(const Expr& expr) {
  ASSIGN_OR_RETURN(std::vector<Value> items, EvaluateAll(expr.parts));
  if (expr.kind == Expr::kConcat) return Concatenate(runtime_, items);
  return expr.kind == Expr::kTuple ? runtime_.Tuple(std::move(items))
                                   : runtime_.List(std::move(items));
}

absl::StatusOr<Value> Interpreter::DictLiteral(const Expr& expr) {
  ASSIGN_OR_RETURN(const std::vector<Value> parts, EvaluateAll(expr.parts));
  std::vector<DictObject::Entry> entries;
  for (size_t i = 0; i < parts.size(); i += 2) {
    std::string key;
    if (!AppendKey(parts[i], &key)) {
      return TypeError(absl::StrCat("unhashable type: '", TypeName(parts[i]), "'"));
    }
    runtime_.budget()->SpendOnBytes(key.size());
    entries.emplace_back(parts[i], parts[i + 1]);
  }
  return Value::Dict(std::move(entries), runtime_.budget());
}

absl::StatusOr<Value> Interpreter::Attribute(const Expr& expr) {
  ASSIGN_OR_RETURN(const Value object, Evaluate(*expr.parts[0]));
  return GetAttribute(runtime_, object, expr.name);
}

absl::StatusOr<Value> Interpreter::Item(const Expr& expr) {
  ASSIGN_OR_RETURN(const Value object, Evaluate(*expr.parts[0]));
  ASSIGN_OR_RETURN(const Value key, Evaluate(*expr.parts[1]));
  return GetItem(runtime_, object, key);
}

absl::StatusOr<Value> Interpreter::SliceOf(const Expr& expr) {
  ASSIGN_OR_RETURN(const Value object, Evaluate(*expr.parts[0]));
  Value bounds[3] = {Value::None(), Value::None(), Value::None()};
  for (size_t i = 0; i < 3; ++i) {
    if (expr.parts[i + 1] == nullptr) continue;
    ASSIGN_OR_RETURN(bounds[i], Evaluate(*expr.parts[i + 1]));
  }
  return Slice(runtime_, object, bounds[0], bounds[1], bounds[2]);
}

absl::StatusOr<jinja::Arguments> Interpreter::EvaluateArguments(const ArgumentList& list) {
  jinja::Arguments arguments;
  ASSIGN_OR_RETURN(arguments.positional, EvaluateAll(list.positional));
  for (const auto& [name, expr] : list.keyword) {
    ASSIGN_OR_RETURN(Value value, Evaluate(*expr));
    arguments.keyword.emplace_back(name, std::move(value));
  }
  if (list.star != nullptr) {
    ASSIGN_OR_RETURN(const Value star, Evaluate(*list.star));
    ASSIGN_OR_RETURN(const std::vector<Value> items, Iterate(star, runtime_.budget()));
    arguments.positional.insert(arguments.positional.end(), items.begin(), items.end());
  }
  if (list.double_star != nullptr) {
    ASSIGN_OR_RETURN(const Value dict, Evaluate(*list.double_star));
    if (!dict.Is(Kind::kDict)) return TypeError("the argument after ** must be a mapping");
    runtime_.budget()->Spend(dict.As<DictObject>().entries().size());
    for (const auto& [key, value] : dict.As<DictObject>().entries()) {
      if (!key.is_string()) return TypeError("keywords must be strings");
      arguments.keyword.emplace_back(key.text(), value);
    }
  }
  return arguments;
}

absl::StatusOr<Value> Interpreter::Call(const Expr& expr, const Value* caller) {
  ASSIGN_OR_RETURN(const Value callee, Evaluate(*expr.parts[0]));
  ASSIGN_OR_RETURN(jinja::Arguments arguments, EvaluateArguments(expr.arguments));
  if (caller != nullptr) arguments.keyword.emplace_back("caller", *caller);
  return CallValue(runtime_, callee, arguments);
}

absl::StatusOr<Value> Interpreter::Filter(const Expr& expr) {
  Value subject;
  if (expr.parts.empty() || expr.parts[0] == nullptr) {
    subject = *filtered_;
  } else {
    ASSIGN_OR_RETURN(subject, Evaluate(*expr.parts[0]));
  }
  if (expr.builtin == nullptr) {
    return absl::InvalidArgumentError(absl::StrCat("No filter named '", expr.name, "' found."));
  }
  ASSIGN_OR_RETURN(const jinja::Arguments arguments, EvaluateArguments(expr.arguments));
  absl::StatusOr<Value> result = expr.builtin(runtime_, subject, arguments);
  return result.ok() ? result : Annotate(result.status(), absl::StrCat("filter ", expr.name));
}

absl::StatusOr<Value> Interpreter::Test(const Expr& expr) {
  ASSIGN_OR_RETURN(const Value subject, Evaluate(*expr.parts[0]));
  if (expr.builtin == nullptr) {
    return absl::InvalidArgumentError(absl::StrCat("No test named '", expr.name, "' found."));
  }
  ASSIGN_OR_RETURN(const jinja::Arguments arguments, EvaluateArguments(expr.arguments));
  absl::StatusOr<Value> result = expr.builtin(runtime_, subject, arguments);
  return result.ok() ? result : Annotate(result.status(), absl::StrCat("test ", expr.name));
}

absl::StatusOr<Value> Interpreter::Sign(const Expr& expr) {
  ASSIGN_OR_RETURN(const Value operand, Evaluate(*expr.parts[0]));
  return expr.kind == Expr::kNegative ? Negate(operand) : Positive(operand);
}

absl::StatusOr<Value> Interpreter::Binary(const Expr& expr) {
  ASSIGN_OR_RETURN(const Value left, Evaluate(*expr.parts[0]));
  ASSIGN_OR_RETURN(const Value right, Evaluate(*expr.parts[1]));
  return BinaryOperation(runtime_, expr.name, left, right);
}

// a < b < c is a < b and b < c, with b computed once.
absl::StatusOr<Value> Interpreter::Comparison(const Expr& expr) {
  ASSIGN_OR_RETURN(Value left, Evaluate(*expr.parts[0]));
  for (size_t i = 0; i < expr.operators.size(); ++i) {
    ASSIGN_OR_RETURN(Value right, Evaluate(*expr.parts[i + 1]));
    ASSIGN_OR_RETURN(const bool holds, Compare(expr.operators[i], left, right, runtime_.budget()));
    if (!holds) return Value::Bool(false);
    left = std::move(right);
  }
  return Value::Bool(true);
}

absl::StatusOr<Value> Interpreter::Logic(const Expr& expr) {
  ASSIGN_OR_RETURN(Value left, Evaluate(*expr.parts[0]));
  const bool truth = IsTrue(left);
  if (expr.kind == Expr::kNot) return Value::Bool(!truth);
  if (truth == (expr.kind == Expr::kOr)) return left;
  return Evaluate(*expr.parts[1]);
}

absl::StatusOr<Value> Interpreter::Conditional(const Expr& expr) {
  ASSIGN_OR_RETURN(const Value condition, Evaluate(*expr.parts[1]));
  if (IsTrue(condition)) return Evaluate(*expr.parts[0]);
  if (expr.parts[2] != nullptr) return Evaluate(*expr.parts[2]);
  return Value::Undefined("the inline if-expression was false and has no else section");
}

}  // namespace switchboard::text::jinja
