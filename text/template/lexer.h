// Template source to tokens, with jinja's white-space rules applied (trim_blocks, lstrip_blocks,
// `-` and
// `+` marks, one final newline dropped, all line ends as \n).
#ifndef SWITCHBOARD_TEXT_TEMPLATE_LEXER_H_
#define SWITCHBOARD_TEXT_TEMPLATE_LEXER_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace switchboard::text::jinja {

struct Token {
  enum Kind {
    kText,        // template text to be copied
    kPrintBegin,  // {{
    kPrintEnd,    // }}
    kBlockBegin,  // {%
    kBlockEnd,    // %}
    kName,
    kString,   // text is the value, escapes resolved
    kInteger,  // text is digits, underscores taken out
    kFloat,
    kOperator,  // text is the operator
    kEnd,
  };
  Kind kind = kEnd;
  std::string text;
  int line = 1;

  bool Is(Kind k, absl::string_view t) const { return kind == k && text == t; }
};

// What is wrong, and in which line.
struct SyntaxError {
  int line = 0;
  std::string cause;
};

// The tokens, ending with kEnd. On failure false, with `error` filled.
bool Tokenize(absl::string_view source, std::vector<Token>* tokens, SyntaxError* error);

// The value of a string literal, given what stands between its quotes: Python's escapes; one that
// is unknown stays as it is. False for a malformed \x, \u, \U or \N.
bool Unescape(absl::string_view literal, std::string* value);

}  // namespace switchboard::text::jinja

#endif  // SWITCHBOARD_TEXT_TEMPLATE_LEXER_H_
