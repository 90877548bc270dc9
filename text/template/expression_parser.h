// The grammar of expressions.
#ifndef SWITCHBOARD_TEXT_TEMPLATE_EXPRESSION_PARSER_H_
#define SWITCHBOARD_TEXT_TEMPLATE_EXPRESSION_PARSER_H_

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "text/template/ast.h"
#include "text/template/token_reader.h"

namespace switchboard::text::jinja {

// After an error the results are null or incomplete.
class ExpressionParser {
 public:
  explicit ExpressionParser(TokenReader* tokens) : tokens_(*tokens) {}

  ExprPtr Expression(bool with_conditional = true);
  // One expression, or several with commas as a tuple, up to the end of the tag or the name
  // `end_name`.
  ExprPtr Tuple(bool with_conditional = true, absl::string_view end_name = "",
                bool in_parentheses = false);
  // name, name.attribute (with `attributes`), or a tuple of these.
  Target AssignmentTarget(bool attributes, absl::string_view end_name = "");
  // Filters of `operand` (which may be null): | a | b(1). With `at_name` the first stands without
  // its bar.
  ExprPtr Filters(ExprPtr operand, bool at_name);
  // A postfix expression, which may be a call.
  ExprPtr Unary(bool with_filters);
  ArgumentList Arguments();

  // jinja refuses a filter or test that does not exist when it compiles the template, except inside
  // an `if`, where using it is the error. These bracket the parts of the tree that matter: a mark
  // is the number of unknown names so far.
  size_t UnknownNames() const { return unknown_.size(); }
  void ForgiveUnknownNames(size_t since) { unknown_.resize(std::min(since, unknown_.size())); }
  void RefuseUnknownNames(size_t since);

  // Counts names as they are read, to find what a macro's body mentions.
  struct Mentions {
    bool varargs = false, kwargs = false, caller = false;
  };
  std::vector<Mentions> macro_mentions;

 private:
  class Nesting;

  ExprPtr Conditional();
  ExprPtr Or();
  ExprPtr And();
  ExprPtr Not();
  ExprPtr Compare();
  ExprPtr Sum();
  ExprPtr Concat();
  ExprPtr Product();
  ExprPtr Power();
  ExprPtr Primary();
  ExprPtr Name();
  ExprPtr ListLiteral();
  ExprPtr DictLiteral();
  ExprPtr Postfix(ExprPtr operand);
  ExprPtr FiltersAndTests(ExprPtr operand);
  ExprPtr Subscript(ExprPtr operand);
  ExprPtr Subscribed(ExprPtr operand, int line);
  ExprPtr Call(ExprPtr callee);
  ExprPtr Test(ExprPtr operand);
  Target TargetItem(bool attributes);
  bool AtTupleEnd(absl::string_view end_name) const;
  bool AtTestOperand() const;
  std::string DottedName();
  // Fills in the height, and fails when it is too great.
  ExprPtr Finish(ExprPtr expr);
  ExprPtr Make(Expr::Kind kind, int line, ExprPtr a, ExprPtr b = nullptr, ExprPtr c = nullptr);

  TokenReader& tokens_;
  int nesting_ = 0;
  std::vector<SyntaxError> unknown_;
};

}  // namespace switchboard::text::jinja

#endif  // SWITCHBOARD_TEXT_TEMPLATE_EXPRESSION_PARSER_H_
