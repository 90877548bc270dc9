#include "text/template/expression_parser.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "text/template/builtins.h"
#include "text/template/numbers.h"

namespace switchboard::text::jinja {
namespace {

// Parentheses and the like around each other, and the height of the tree they may build: what a
// stack holds easily, and far more than people write.
constexpr int kMaxNesting = 100;
constexpr int kMaxHeight = 200;

}  // namespace

// Counts one level of recursion; fails at the limit.
class ExpressionParser::Nesting {
 public:
  explicit Nesting(ExpressionParser* parser) : parser_(parser) {
    if (++parser_->nesting_ > kMaxNesting)
      parser_->tokens_.Fail("expressions are nested too deeply");
  }
  ~Nesting() { --parser_->nesting_; }

 private:
  ExpressionParser* const parser_;
};

void ExpressionParser::RefuseUnknownNames(size_t since) {
  if (unknown_.size() > since) tokens_.Fail(unknown_[since].cause, unknown_[since].line);
}

ExprPtr ExpressionParser::Finish(ExprPtr expr) {
  const auto stand_above = [&expr](const ExprPtr& part) {
    if (part != nullptr) expr->height = std::max(expr->height, part->height + 1);
  };
  for (const ExprPtr& part : expr->parts) stand_above(part);
  for (const ExprPtr& argument : expr->arguments.positional) stand_above(argument);
  for (const auto& [name, argument] : expr->arguments.keyword) stand_above(argument);
  stand_above(expr->arguments.star);
  stand_above(expr->arguments.double_star);
  if (expr->height > kMaxHeight) tokens_.Fail("an expression is nested too deeply");
  return expr;
}

ExprPtr ExpressionParser::Make(Expr::Kind kind, int line, ExprPtr a, ExprPtr b, ExprPtr c) {
  auto expr = std::make_unique<Expr>();
  expr->kind = kind;
  expr->line = line;
  if (a != nullptr) expr->parts.push_back(std::move(a));
  if (b != nullptr) expr->parts.push_back(std::move(b));
  if (c != nullptr) expr->parts.push_back(std::move(c));
  return Finish(std::move(expr));
}

ExprPtr ExpressionParser::Expression(bool with_conditional) {
  const Nesting nesting(this);
  if (tokens_.failed()) return nullptr;
  return with_conditional ? Conditional() : Or();
}

ExprPtr ExpressionParser::Conditional() {
  const size_t unknown = UnknownNames();
  const int line = tokens_.current().line;
  ExprPtr value = Or();
  while (tokens_.TakeName("if")) {
    ExprPtr condition = Or();
    ExprPtr otherwise;
    if (tokens_.TakeName("else")) otherwise = Expression();
    if (tokens_.failed()) return nullptr;
    auto expr = std::make_unique<Expr>();
    expr->kind = Expr::kConditional;
    expr->line = line;
    expr->parts.push_back(std::move(value));
    expr->parts.push_back(std::move(condition));
    expr->parts.push_back(std::move(otherwise));
    value = Finish(std::move(expr));
    ForgiveUnknownNames(unknown);
  }
  return value;
}

ExprPtr ExpressionParser::Or() {
  const int line = tokens_.current().line;
  ExprPtr left = And();
  while (tokens_.TakeName("or")) left = Make(Expr::kOr, line, std::move(left), And());
  return left;
}

ExprPtr ExpressionParser::And() {
  const int line = tokens_.current().line;
  ExprPtr left = Not();
  while (tokens_.TakeName("and")) left = Make(Expr::kAnd, line, std::move(left), Not());
  return left;
}

ExprPtr ExpressionParser::Not() {
  const Nesting nesting(this);
  const int line = tokens_.current().line;
  if (tokens_.TakeName("not")) return Make(Expr::kNot, line, Not());
  return Compare();
}

ExprPtr ExpressionParser::Compare() {
  auto expr = std::make_unique<Expr>();
  expr->kind = Expr::kCompare;
  expr->line = tokens_.current().line;
  expr->parts.push_back(Sum());
  while (!tokens_.failed()) {
    std::string op;
    for (const absl::string_view symbol : {"==", "!=", "<=", ">=", "<", ">"}) {
      if (op.empty() && tokens_.TakeOperator(symbol)) op = std::string(symbol);
    }
    if (op.empty() && tokens_.TakeName("in")) op = "in";
    if (op.empty() && tokens_.AtName("not") && tokens_.next().Is(Token::kName, "in")) {
      tokens_.Skip();
      tokens_.Skip();
      op = "not in";
    }
    if (op.empty()) break;
    expr->operators.push_back(std::move(op));
    expr->parts.push_back(Sum());
  }
  if (expr->parts.size() == 1) return std::move(expr->parts[0]);
  return Finish(std::move(expr));
}

ExprPtr ExpressionParser::Sum() {
  const int line = tokens_.current().line;
  ExprPtr left = Concat();
  while (tokens_.AtOperator("+") || tokens_.AtOperator("-")) {
    std::string op = tokens_.current().text;
    tokens_.Skip();
    left = Make(Expr::kBinary, line, std::move(left), Concat());
    left->name = std::move(op);
  }
  return left;
}

ExprPtr ExpressionParser::Concat() {
  const int line = tokens_.current().line;
  ExprPtr first = Product();
  if (!tokens_.AtOperator("~")) return first;
  auto expr = std::make_unique<Expr>();
  expr->kind = Expr::kConcat;
  expr->line = line;
  expr->parts.push_back(std::move(first));
  while (tokens_.TakeOperator("~")) expr->parts.push_back(Product());
  return Finish(std::move(expr));
}

ExprPtr ExpressionParser::Product() {
  const int line = tokens_.current().line;
  ExprPtr left = Power();
  while (tokens_.AtOperator("*") || tokens_.AtOperator("/") || tokens_.AtOperator("//") ||
         tokens_.AtOperator("%")) {
    std::string op = tokens_.current().text;
    tokens_.Skip();
    left = Make(Expr::kBinary, line, std::move(left), Power());
    left->name = std::move(op);
  }
  return left;
}

// From left to right, unlike Python's: jinja's parser does so.
ExprPtr ExpressionParser::Power() {
  const int line = tokens_.current().line;
  ExprPtr left = Unary(true);
  while (tokens_.TakeOperator("**")) {
    left = Make(Expr::kBinary, line, std::move(left), Unary(true));
    left->name = "**";
  }
  return left;
}

// The sign binds tighter than filters: -x | abs is (-x) | abs.
ExprPtr ExpressionParser::Unary(bool with_filters) {
  const Nesting nesting(this);
  const int line = tokens_.current().line;
  ExprPtr operand;
  if (tokens_.TakeOperator("-")) {
    operand = Make(Expr::kNegative, line, Unary(false));
  } else if (tokens_.TakeOperator("+")) {
    operand = Make(Expr::kPositive, line, Unary(false));
  } else {
    operand = Primary();
  }
  operand = Postfix(std::move(operand));
  return with_filters ? FiltersAndTests(std::move(operand)) : std::move(operand);
}

ExprPtr ExpressionParser::Primary() {
  const Token token = tokens_.current();
  if (tokens_.At(Token::kName)) return Name();
  if (tokens_.AtOperator("[")) return ListLiteral();
  if (tokens_.AtOperator("{")) return DictLiteral();
  if (tokens_.TakeOperator("(")) {
    ExprPtr inner = Tuple(true, "", true);
    tokens_.ExpectOperator(")");
    return inner;
  }
  ExprPtr constant = Make(Expr::kConstant, token.line, nullptr);
  if (tokens_.At(Token::kString)) {
    std::string text;
    for (; tokens_.At(Token::kString); tokens_.Skip()) text += tokens_.current().text;
    constant->constant = Value::Literal(text);
  } else if (tokens_.At(Token::kInteger)) {
    const std::optional<Int> value = ParseInt(token.text, 0);
    if (!value.has_value()) tokens_.Fail(absl::StrCat("the number ", token.text, " is too large"));
    constant->constant = Value::Number(value.value_or(0));
    tokens_.Skip();
  } else if (tokens_.At(Token::kFloat)) {
    constant->constant = Value::Number(ParseFloat(token.text).value_or(0));
    tokens_.Skip();
  } else {
    tokens_.Fail(absl::StrCat("unexpected '", tokens_.Describe(), "'"));
  }
  return constant;
}

ExprPtr ExpressionParser::Name() {
  const Token token = tokens_.current();
  tokens_.Skip();
  ExprPtr expr = Make(Expr::kConstant, token.line, nullptr);
  if (token.text == "true" || token.text == "True") {
    expr->constant = Value::Bool(true);
  } else if (token.text == "false" || token.text == "False") {
    expr->constant = Value::Bool(false);
  } else if (token.text == "none" || token.text == "None") {
    expr->constant = Value::None();
  } else {
    expr->kind = Expr::kName;
    expr->name = token.text;
    for (Mentions& macro : macro_mentions) {
      macro.varargs |= token.text == "varargs";
      macro.kwargs |= token.text == "kwargs";
      macro.caller |= token.text == "caller";
    }
  }
  return expr;
}

ExprPtr ExpressionParser::ListLiteral() {
  ExprPtr list = Make(Expr::kList, tokens_.current().line, nullptr);
  tokens_.ExpectOperator("[");
  while (!tokens_.failed() && !tokens_.AtOperator("]")) {
    list->parts.push_back(Expression());
    if (!tokens_.AtOperator("]")) tokens_.ExpectOperator(",");
  }
  tokens_.ExpectOperator("]");
  return Finish(std::move(list));
}

ExprPtr ExpressionParser::DictLiteral() {
  ExprPtr dict = Make(Expr::kDict, tokens_.current().line, nullptr);
  tokens_.ExpectOperator("{");
  while (!tokens_.failed() && !tokens_.AtOperator("}")) {
    dict->parts.push_back(Expression());
    tokens_.ExpectOperator(":");
    dict->parts.push_back(Expression());
    if (!tokens_.AtOperator("}")) tokens_.ExpectOperator(",");
  }
  tokens_.ExpectOperator("}");
  return Finish(std::move(dict));
}

bool ExpressionParser::AtTupleEnd(absl::string_view end_name) const {
  return tokens_.failed() || tokens_.At(Token::kPrintEnd) || tokens_.At(Token::kBlockEnd) ||
         tokens_.AtOperator(")") || (!end_name.empty() && tokens_.AtName(end_name));
}

ExprPtr ExpressionParser::Tuple(bool with_conditional, absl::string_view end_name,
                                bool in_parentheses) {
  ExprPtr tuple = Make(Expr::kTuple, tokens_.current().line, nullptr);
  bool commas = false;
  while (!AtTupleEnd(end_name)) {
    tuple->parts.push_back(Expression(with_conditional));
    if (!tokens_.TakeOperator(",")) break;
    commas = true;
  }
  if (tuple->parts.size() == 1 && !commas) return std::move(tuple->parts[0]);
  if (tuple->parts.empty() && !in_parentheses) {
    tokens_.Fail(absl::StrCat("Expected an expression, got '", tokens_.Describe(), "'"));
  }
  return Finish(std::move(tuple));
}

Target ExpressionParser::AssignmentTarget(bool attributes, absl::string_view end_name) {
  const Nesting nesting(this);
  Target tuple;
  tuple.kind = Target::kTuple;
  bool commas = false;
  while (!AtTupleEnd(end_name)) {
    tuple.parts.push_back(TargetItem(attributes));
    if (!tokens_.TakeOperator(",")) break;
    commas = true;
  }
  if (tuple.parts.empty()) tokens_.Fail("expected a name to assign to");
  if (tuple.parts.size() == 1 && !commas) {
    Target only = std::move(tuple.parts[0]);
    return only;
  }
  return tuple;
}

Target ExpressionParser::TargetItem(bool attributes) {
  if (tokens_.TakeOperator("(")) {
    Target inner = AssignmentTarget(attributes);
    tokens_.ExpectOperator(")");
    return inner;
  }
  Target target;
  target.name = tokens_.ExpectAnyName();
  for (const absl::string_view constant : {"true", "True", "false", "False", "none", "None"}) {
    if (target.name == constant) tokens_.Fail("can't assign to 'const'");
  }
  if (attributes && tokens_.TakeOperator(".")) {
    target.kind = Target::kAttribute;
    target.attribute = tokens_.ExpectAnyName();
  }
  return target;
}

}  // namespace switchboard::text::jinja
