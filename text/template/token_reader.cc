#include "text/template/token_reader.h"

#include "absl/strings/str_cat.h"

namespace switchboard::text::jinja {

bool TokenReader::TakeOperator(absl::string_view op) {
  if (!AtOperator(op)) return false;
  Skip();
  return true;
}

bool TokenReader::TakeName(absl::string_view name) {
  if (!AtName(name)) return false;
  Skip();
  return true;
}

void TokenReader::ExpectOperator(absl::string_view op) {
  if (!TakeOperator(op)) Fail(absl::StrCat("expected token '", op, "', got '", Describe(), "'"));
}

void TokenReader::ExpectName(absl::string_view name) {
  if (!TakeName(name)) Fail(absl::StrCat("expected token '", name, "', got '", Describe(), "'"));
}

void TokenReader::ExpectEndOfBlock() {
  if (At(Token::kBlockEnd)) {
    Skip();
  } else {
    Fail(absl::StrCat("expected token 'end of statement block', got '", Describe(), "'"));
  }
}

std::string TokenReader::ExpectAnyName() {
  if (!At(Token::kName)) {
    Fail(absl::StrCat("expected token 'name', got '", Describe(), "'"));
    return "";
  }
  std::string name = current().text;
  Skip();
  return name;
}

void TokenReader::Fail(absl::string_view cause, int line) {
  if (failed_) return;
  failed_ = true;
  error_ = {line > 0 ? line : current().line, std::string(cause)};
}

std::string TokenReader::Describe() const {
  switch (current().kind) {
    case Token::kText:
      return "template data";
    case Token::kPrintBegin:
      return "begin of print statement";
    case Token::kPrintEnd:
      return "end of print statement";
    case Token::kBlockBegin:
      return "begin of statement block";
    case Token::kBlockEnd:
      return "end of statement block";
    case Token::kString:
      return "string";
    case Token::kName:
    case Token::kInteger:
    case Token::kFloat:
    case Token::kOperator:
      return current().text;
    case Token::kEnd:
      return "end of template";
  }
  return "";
}

}  // namespace switchboard::text::jinja
