#include "text/template/lexer.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "text/template/code_points.h"

namespace switchboard::text::jinja {
namespace {

// All line ends as \n, without the last one.
std::string NormalizeLines(absl::string_view source) {
  std::string result;
  result.reserve(source.size());
  for (size_t i = 0; i < source.size(); ++i) {
    if (source[i] == '\r') {
      result.push_back('\n');
      if (i + 1 < source.size() && source[i + 1] == '\n') ++i;
    } else {
      result.push_back(source[i]);
    }
  }
  if (absl::EndsWith(result, "\n")) result.pop_back();
  return result;
}

size_t SkipSpace(absl::string_view text, size_t at) {
  CodePoints c(text.substr(at));
  while (!c.done() && IsSpace(c.value())) c.Next();
  return at + c.begin();
}

// Where the white space at the end of `text` begins.
size_t TrailingSpace(absl::string_view text) {
  size_t end = 0;
  for (CodePoints c(text); !c.done(); c.Next()) {
    if (!IsSpace(c.value())) end = c.end();
  }
  return end;
}

constexpr absl::string_view kOperators[] = {"//", "**", "==", "!=", ">=", "<=", "+", "-", "/",
                                            "*",  "%",  "~",  "[",  "]",  "(",  ")", "{", "}",
                                            ">",  "<",  "=",  ".",  ":",  "|",  ",", ";"};

class Lexer {
 public:
  Lexer(absl::string_view source, std::vector<Token>* tokens, SyntaxError* error)
      : source_(NormalizeLines(source)), text_(source_), tokens_(tokens), error_(error) {}

  bool Run() {
    while (at_ < text_.size()) {
      if (!TextAndTag()) return false;
    }
    Add(Token::kEnd, "");
    return true;
  }

 private:
  // A tag: how it begins, its `-` or `+`, and where what follows it starts.
  struct Tag {
    enum Kind { kPrint, kBlock, kComment, kRaw } kind;
    size_t begin;
    char sign;  // or 0
    size_t body;
  };

  bool Fail(absl::string_view cause) {
    error_->line = line_;
    error_->cause = std::string(cause);
    return false;
  }

  void Add(Token::Kind kind, absl::string_view text) {
    tokens_->push_back({kind, std::string(text), line_});
  }

  // Moves to `to`, counting lines.
  void Advance(size_t to) {
    line_ += static_cast<int>(std::count(text_.begin() + at_, text_.begin() + to, '\n'));
    line_starting_ = to > at_ ? text_[to - 1] == '\n' : line_starting_;
    at_ = to;
  }

  bool FindTag(Tag* tag) const {
    size_t open = text_.find('{', at_);
    for (; open != text_.npos; open = text_.find('{', open + 1)) {
      const char next = open + 1 < text_.size() ? text_[open + 1] : '\0';
      if (next != '{' && next != '%' && next != '#') continue;
      const char sign = open + 2 < text_.size() ? text_[open + 2] : '\0';
      const bool has_sign = sign == '-' || sign == '+';
      *tag = {next == '{'   ? Tag::kPrint
              : next == '%' ? Tag::kBlock
                            : Tag::kComment,
              open, has_sign ? sign : '\0', open + (has_sign ? 3 : 2)};
      if (tag->kind == Tag::kBlock) RecogniseRaw(tag);
      return true;
    }
    return false;
  }

  // {% raw %}: no newline after it is trimmed, unlike after other blocks.
  void RecogniseRaw(Tag* tag) const {
    size_t at = SkipSpace(text_, tag->body);
    if (text_.substr(at, 3) != "raw") return;
    at = SkipSpace(text_, at + 3);
    if (text_.substr(at, 2) == "%}") {
      tag->body = at + 2;
    } else if (text_.substr(at, 3) == "-%}") {
      tag->body = SkipSpace(text_, at + 3);
    } else {
      return;
    }
    tag->kind = Tag::kRaw;
  }

  // Adds text up to a tag, stripped as the tag demands.
  void AddText(absl::string_view text, const Tag& tag) {
    if (tag.sign == '-') {
      text = text.substr(0, TrailingSpace(text));
    } else if (tag.sign != '+' && tag.kind != Tag::kPrint) {
      const size_t newline = text.rfind('\n');
      const size_t line_begin = newline == text.npos ? 0 : newline + 1;
      if ((line_begin > 0 || line_starting_) && TrailingSpace(text) <= line_begin) {
        text = text.substr(0, line_begin);
      }
    }
    if (!text.empty()) Add(Token::kText, text);
  }

  bool TextAndTag() {
    Tag tag;
    if (!FindTag(&tag)) {
      Add(Token::kText, text_.substr(at_));
      Advance(text_.size());
      return true;
    }
    AddText(text_.substr(at_, tag.begin - at_), tag);
    Advance(tag.begin);
    if (tag.kind == Tag::kComment) return Comment(tag);
    if (tag.kind == Tag::kRaw) return Raw(tag);
    const bool print = tag.kind == Tag::kPrint;
    Add(print ? Token::kPrintBegin : Token::kBlockBegin, "");
    Advance(tag.body);
    return Expression(print);
  }

  // The position after an end mark that starts at `end`: white space goes after `-`, one newline
  // after a block without a sign.
  size_t AfterEnd(size_t end, absl::string_view mark, bool trims_newline) const {
    const bool strips = text_[end] == '-', keeps = text_[end] == '+';
    size_t after = end + mark.size() + (strips || keeps ? 1 : 0);
    if (strips) return SkipSpace(text_, after);
    if (!keeps && trims_newline && text_.substr(after, 1) == "\n") ++after;
    return after;
  }

  bool Comment(const Tag& tag) {
    size_t end = text_.find("#}", tag.body);
    if (end == text_.npos) return Fail("Missing end of comment tag");
    if (end > tag.body && (text_[end - 1] == '-' || text_[end - 1] == '+')) --end;
    Advance(AfterEnd(end, "#}", true));
    return true;
  }

  bool Raw(const Tag& tag) {
    for (size_t open = text_.find("{%", tag.body); open != text_.npos;
         open = text_.find("{%", open + 1)) {
      const char sign = open + 2 < text_.size() ? text_[open + 2] : '\0';
      const bool has_sign = sign == '-' || sign == '+';
      size_t at = SkipSpace(text_, open + (has_sign ? 3 : 2));
      if (text_.substr(at, 6) != "endraw") continue;
      at = SkipSpace(text_, at + 6);
      const absl::string_view rest = text_.substr(at);
      if (!absl::StartsWith(rest, "%}") && !absl::StartsWith(rest, "-%}") &&
          !absl::StartsWith(rest, "+%}")) {
        continue;
      }
      Advance(tag.body);
      AddText(text_.substr(at_, open - at_), {Tag::kRaw, open, has_sign ? sign : '\0', at});
      Advance(AfterEnd(at, "%}", true));
      return true;
    }
    // jinja lets the tag stand where nothing follows it.
    if (tag.body == text_.size()) return Advance(tag.body), true;
    return Fail("Missing end of raw directive");
  }

  // Tokens up to the end of a tag.
  bool Expression(bool print) {
    const absl::string_view mark = print ? "}}" : "%}";
    while (true) {
      Advance(SkipSpace(text_, at_));
      if (at_ == text_.size()) return true;  // the parser misses the end
      if (open_brackets_.empty()) {
        const absl::string_view rest = text_.substr(at_);
        const bool signed_end =
            rest.substr(1, 2) == mark && (rest[0] == '-' || (rest[0] == '+' && !print));
        if (signed_end || absl::StartsWith(rest, mark)) {
          Add(print ? Token::kPrintEnd : Token::kBlockEnd, "");
          Advance(AfterEnd(at_, mark, !print));
          return true;
        }
      }
      if (!OneToken()) return false;
    }
  }

  bool OneToken() {
    const char c = text_[at_];
    if (absl::ascii_isdigit(c)) return Number();
    if (c == '\'' || c == '"') return String(c);
    const size_t name_end = EndOfName();
    if (name_end > at_) {
      Add(Token::kName, text_.substr(at_, name_end - at_));
      Advance(name_end);
      return true;
    }
    for (const absl::string_view op : kOperators) {
      if (absl::StartsWith(text_.substr(at_), op)) return Operator(op);
    }
    return Fail(absl::StrCat("unexpected character '", CodePoints(text_.substr(at_)).bytes(), "'"));
  }

  size_t EndOfName() const {
    CodePoints c(text_.substr(at_));
    while (!c.done() && IsIdentifierPart(c.value())) c.Next();
    return at_ + c.begin();
  }

  bool Operator(absl::string_view op) {
    const char c = op[0];
    if (c == '(' || c == '[' || c == '{') {
      open_brackets_.push_back(c == '(' ? ')' : c == '[' ? ']' : '}');
    } else if (c == ')' || c == ']' || c == '}') {
      if (open_brackets_.empty()) return Fail(absl::StrCat("unexpected '", op, "'"));
      if (open_brackets_.back() != c) {
        return Fail(absl::StrCat("unexpected '", op, "', expected '",
                                 std::string(1, open_brackets_.back()), "'"));
      }
      open_brackets_.pop_back();
    }
    Add(Token::kOperator, op);
    Advance(at_ + op.size());
    return true;
  }

  bool String(char quote) {
    size_t end = at_ + 1;
    while (end < text_.size() && text_[end] != quote) end += text_[end] == '\\' ? 2 : 1;
    if (end >= text_.size()) return Fail(absl::StrCat("unterminated string"));
    std::string value;
    if (!Unescape(text_.substr(at_ + 1, end - at_ - 1), &value)) {
      return Fail("malformed escape in a string");
    }
    Add(Token::kString, value);
    Advance(end + 1);
    return true;
  }

  // The end of digits with single underscores between them, from `at`; `at` when there are none.
  size_t EndOfDigits(size_t at, int base) const {
    const auto is_digit = [&](size_t i) {
      if (i >= text_.size()) return false;
      const char c = absl::ascii_tolower(text_[i]);
      return base == 16 ? absl::ascii_isxdigit(c) : c >= '0' && c < '0' + base;
    };
    size_t end = at;
    while (is_digit(end) ||
           (end > at && end < text_.size() && text_[end] == '_' && is_digit(end + 1))) {
      ++end;
    }
    return end;
  }

  // Where a fraction or exponent that continues the digits up to `end` ends, else `end`.
  size_t EndOfFloat(size_t end) const {
    size_t float_end = end;
    if (text_.substr(end, 1) == ".") {
      const size_t fraction = EndOfDigits(end + 1, 10);
      if (fraction > end + 1) float_end = fraction;
    }
    const absl::string_view rest = text_.substr(float_end);
    if (!rest.empty() && absl::ascii_tolower(rest[0]) == 'e') {
      const size_t sign = rest.size() > 1 && (rest[1] == '+' || rest[1] == '-') ? 1 : 0;
      const size_t digits = float_end + 1 + sign;
      if (EndOfDigits(digits, 10) > digits) float_end = EndOfDigits(digits, 10);
    }
    return float_end;
  }

  bool Number() {
    // After a dot only whole numbers stand: `l.0.5` is two lookups.
    const bool after_dot = at_ > 0 && text_[at_ - 1] == '.';
    const size_t digits = EndOfDigits(at_, 10);
    size_t end = after_dot ? digits : EndOfFloat(digits);
    const bool is_float = end > digits;
    if (!is_float && text_[at_] == '0') end = EndOfPrefixedOrZero();
    std::string number(text_.substr(at_, end - at_));
    number.erase(std::remove(number.begin(), number.end(), '_'), number.end());
    Add(is_float ? Token::kFloat : Token::kInteger, number);
    Advance(end);
    return true;
  }

  // 0x1f, 0o17, 0b11, or zeros alone: `012` is the two numbers 0 and 12, which no grammar allows.
  size_t EndOfPrefixedOrZero() const {
    const char letter = at_ + 1 < text_.size() ? absl::ascii_tolower(text_[at_ + 1]) : '\0';
    const int base = letter == 'x' ? 16 : letter == 'o' ? 8 : letter == 'b' ? 2 : 0;
    if (base != 0) {
      const size_t digits = at_ + 2 + (text_.substr(at_ + 2, 1) == "_" ? 1 : 0);
      if (EndOfDigits(digits, base) > digits) return EndOfDigits(digits, base);
    }
    size_t end = at_;
    while (end < text_.size() && text_[end] == '0') ++end;
    return end;
  }

  const std::string source_;
  const absl::string_view text_;
  std::vector<Token>* const tokens_;
  SyntaxError* const error_;
  size_t at_ = 0;
  int line_ = 1;
  bool line_starting_ = true;
  std::string open_brackets_;  // the closing ones that are missing, innermost last
};

}  // namespace

bool Tokenize(absl::string_view source, std::vector<Token>* tokens, SyntaxError* error) {
  return Lexer(source, tokens, error).Run();
}

}  // namespace switchboard::text::jinja
