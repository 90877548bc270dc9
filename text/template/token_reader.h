// What both halves of the parser build on: the tokens, and errors.
#ifndef SWITCHBOARD_TEXT_TEMPLATE_TOKEN_READER_H_
#define SWITCHBOARD_TEXT_TEMPLATE_TOKEN_READER_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "text/template/lexer.h"

namespace switchboard::text::jinja {

// After the first error nothing is there any more (every At.. is false), so that callers may look
// at failed() late.
class TokenReader {
 public:
  explicit TokenReader(std::vector<Token> tokens) : tokens_(std::move(tokens)) {}

  const Token& current() const { return tokens_[at_]; }
  const Token& next() const { return tokens_[at_ + 1 < tokens_.size() ? at_ + 1 : at_]; }
  void Skip() { at_ += at_ + 1 < tokens_.size() ? 1 : 0; }
  bool At(Token::Kind kind) const { return !failed_ && current().kind == kind; }
  bool AtOperator(absl::string_view op) const {
    return !failed_ && current().Is(Token::kOperator, op);
  }
  bool AtName(absl::string_view name) const { return !failed_ && current().Is(Token::kName, name); }
  bool TakeOperator(absl::string_view op);
  bool TakeName(absl::string_view name);
  // Fails when something else is there.
  void ExpectOperator(absl::string_view op);
  void ExpectName(absl::string_view name);
  void ExpectEndOfBlock();
  std::string ExpectAnyName();

  // Keeps the first error.
  void Fail(absl::string_view cause, int line = 0);
  bool failed() const { return failed_; }
  const SyntaxError& error() const { return error_; }
  // What stands here, for messages.
  std::string Describe() const;

 private:
  const std::vector<Token> tokens_;
  size_t at_ = 0;
  bool failed_ = false;
  SyntaxError error_;
};

}  // namespace switchboard::text::jinja

#endif  // SWITCHBOARD_TEXT_TEMPLATE_TOKEN_READER_H_
