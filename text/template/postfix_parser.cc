// The half of the expression grammar that stands behind an operand: attributes, subscripts, calls,
// filters and tests.
#include "absl/strings/str_cat.h"
#include "text/template/builtins.h"
#include "text/template/expression_parser.h"
#include "text/template/numbers.h"

namespace switchboard::text::jinja {

ExprPtr ExpressionParser::Postfix(ExprPtr operand) {
  while (!tokens_.failed()) {
    if (tokens_.AtOperator(".") || tokens_.AtOperator("[")) {
      operand = Subscript(std::move(operand));
    } else if (tokens_.AtOperator("(")) {
      operand = Call(std::move(operand));
    } else {
      break;
    }
  }
  return operand;
}

ExprPtr ExpressionParser::FiltersAndTests(ExprPtr operand) {
  while (!tokens_.failed()) {
    if (tokens_.AtOperator("|")) {
      operand = Filters(std::move(operand), false);
    } else if (tokens_.AtName("is")) {
      operand = Test(std::move(operand));
    } else if (tokens_.AtOperator("(")) {
      operand = Call(std::move(operand));
    } else {
      break;
    }
  }
  return operand;
}

ExprPtr ExpressionParser::Subscript(ExprPtr operand) {
  const int line = tokens_.current().line;
  if (tokens_.TakeOperator(".")) {
    if (tokens_.At(Token::kName)) {
      ExprPtr attribute = Make(Expr::kAttribute, line, std::move(operand));
      attribute->name = tokens_.ExpectAnyName();
      return attribute;
    }
    if (!tokens_.At(Token::kInteger)) tokens_.Fail("expected name or number");
    ExprPtr index = Make(Expr::kConstant, line, nullptr);
    index->constant = Value::Number(ParseInt(tokens_.current().text, 0).value_or(0));
    tokens_.Skip();
    return Make(Expr::kItem, line, std::move(operand), std::move(index));
  }
  tokens_.ExpectOperator("[");
  ExprPtr item = Subscribed(std::move(operand), line);
  if (tokens_.TakeOperator(",")) {
    if (item->kind == Expr::kSlice) tokens_.Fail("slices of several dimensions are not supported");
    auto tuple = std::make_unique<Expr>();
    tuple->kind = Expr::kTuple;
    tuple->line = line;
    tuple->parts.push_back(std::move(item->parts[1]));
    while (!tokens_.failed() && !tokens_.AtOperator("]")) {
      tuple->parts.push_back(Expression());
      if (!tokens_.AtOperator("]")) tokens_.ExpectOperator(",");
    }
    item->parts[1] = Finish(std::move(tuple));
    item = Finish(std::move(item));
  }
  tokens_.ExpectOperator("]");
  return item;
}

// What stands in brackets: an index, or a slice.
ExprPtr ExpressionParser::Subscribed(ExprPtr operand, int line) {
  auto expr = std::make_unique<Expr>();
  expr->kind = Expr::kSlice;
  expr->line = line;
  expr->parts.push_back(std::move(operand));
  const auto at_bound = [this] {
    return !tokens_.failed() && !tokens_.AtOperator(":") && !tokens_.AtOperator("]") &&
           !tokens_.AtOperator(",");
  };
  ExprPtr start = tokens_.AtOperator(":") ? nullptr : Expression();
  if (!tokens_.TakeOperator(":")) {
    expr->kind = Expr::kItem;
    expr->parts.push_back(std::move(start));
    return Finish(std::move(expr));
  }
  expr->parts.push_back(std::move(start));
  expr->parts.push_back(at_bound() ? Expression() : nullptr);
  const bool has_step = tokens_.TakeOperator(":") && at_bound();
  expr->parts.push_back(has_step ? Expression() : nullptr);
  return Finish(std::move(expr));
}

ArgumentList ExpressionParser::Arguments() {
  ArgumentList list;
  const auto ensure = [this](bool fine) {
    if (!fine) tokens_.Fail("invalid syntax for function call expression");
  };
  tokens_.ExpectOperator("(");
  while (!tokens_.failed() && !tokens_.AtOperator(")")) {
    if (tokens_.TakeOperator("*")) {
      ensure(list.star == nullptr && list.double_star == nullptr);
      list.star = Expression();
    } else if (tokens_.TakeOperator("**")) {
      ensure(list.double_star == nullptr);
      list.double_star = Expression();
    } else if (tokens_.At(Token::kName) && tokens_.next().Is(Token::kOperator, "=")) {
      ensure(list.double_star == nullptr);
      std::string name = tokens_.ExpectAnyName();
      tokens_.ExpectOperator("=");
      list.keyword.emplace_back(std::move(name), Expression());
    } else {
      ensure(list.star == nullptr && list.double_star == nullptr && list.keyword.empty());
      list.positional.push_back(Expression());
    }
    if (!tokens_.AtOperator(")")) tokens_.ExpectOperator(",");
  }
  tokens_.ExpectOperator(")");
  return list;
}

ExprPtr ExpressionParser::Call(ExprPtr callee) {
  ExprPtr call = Make(Expr::kCall, tokens_.current().line, std::move(callee));
  call->arguments = Arguments();
  return Finish(std::move(call));
}

std::string ExpressionParser::DottedName() {
  std::string name = tokens_.ExpectAnyName();
  while (tokens_.TakeOperator(".")) absl::StrAppend(&name, ".", tokens_.ExpectAnyName());
  return name;
}

ExprPtr ExpressionParser::Filters(ExprPtr operand, bool at_name) {
  while (at_name || tokens_.TakeOperator("|")) {
    at_name = false;
    const int line = tokens_.current().line;
    auto filter = std::make_unique<Expr>();
    filter->kind = Expr::kFilter;
    filter->line = line;
    filter->parts.push_back(std::move(operand));
    filter->name = DottedName();
    filter->builtin = FindFilter(filter->name);
    if (filter->builtin == nullptr) {
      unknown_.push_back({line, absl::StrCat("No filter named '", filter->name, "'.")});
    }
    if (tokens_.AtOperator("(")) filter->arguments = Arguments();
    operand = Finish(std::move(filter));
    if (tokens_.failed()) break;
  }
  return operand;
}

bool ExpressionParser::AtTestOperand() const {
  if (tokens_.At(Token::kName)) {
    return !tokens_.AtName("else") && !tokens_.AtName("or") && !tokens_.AtName("and");
  }
  return tokens_.At(Token::kString) || tokens_.At(Token::kInteger) || tokens_.At(Token::kFloat) ||
         tokens_.AtOperator("(") || tokens_.AtOperator("[") || tokens_.AtOperator("{");
}

ExprPtr ExpressionParser::Test(ExprPtr operand) {
  const int line = tokens_.current().line;
  tokens_.ExpectName("is");
  const bool negated = tokens_.TakeName("not");
  ExprPtr test = Make(Expr::kTest, line, std::move(operand));
  test->name = DottedName();
  test->builtin = FindTest(test->name);
  if (test->builtin == nullptr) {
    unknown_.push_back({line, absl::StrCat("No test named '", test->name, "'.")});
  }
  if (tokens_.AtOperator("(")) {
    test->arguments = Arguments();
  } else if (AtTestOperand()) {
    if (tokens_.AtName("is")) tokens_.Fail("You cannot chain multiple tests with is");
    test->arguments.positional.push_back(Postfix(Primary()));
  }
  test = Finish(std::move(test));
  return negated ? Make(Expr::kNot, line, std::move(test)) : std::move(test);
}

}  // namespace switchboard::text::jinja
