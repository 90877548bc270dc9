#include "text/template/parser.h"

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "text/template/expression_parser.h"
#include "text/template/lexer.h"
#include "text/template/token_reader.h"

namespace switchboard::text::jinja {
namespace {

// Blocks within blocks.
constexpr int kMaxBlocks = 60;

std::unique_ptr<Stmt> MakeStmt(Stmt::Kind kind, int line) {
  auto stmt = std::make_unique<Stmt>();
  stmt->kind = kind;
  stmt->line = line;
  return stmt;
}

// The grammar of statements. Each function that is named after a tag starts behind the tag's name.
class StatementParser {
 public:
  explicit StatementParser(std::vector<Token> tokens)
      : tokens_(std::move(tokens)), expressions_(&tokens_) {}

  absl::StatusOr<std::unique_ptr<const Program>> Run() {
    auto program = std::make_unique<Program>();
    program->body = Statements({});
    expressions_.RefuseUnknownNames(0);
    if (tokens_.failed()) {
      return absl::InvalidArgumentError(
          absl::StrCat("line ", tokens_.error().line, ": ", tokens_.error().cause));
    }
    return std::unique_ptr<const Program>(std::move(program));
  }

 private:
  using EndTags = std::initializer_list<absl::string_view>;

  // Statements up to one of `end_tags`, whose name comes next then.
  Body Statements(EndTags end_tags) {
    Body body;
    if (++blocks_ > kMaxBlocks) tokens_.Fail("blocks are nested too deeply");
    while (!tokens_.failed()) {
      const int line = tokens_.current().line;
      if (tokens_.At(Token::kText)) {
        body.push_back(MakeStmt(Stmt::kText, line));
        body.back()->text = Value::Literal(tokens_.current().text);
        tokens_.Skip();
      } else if (tokens_.At(Token::kPrintBegin)) {
        tokens_.Skip();
        body.push_back(MakeStmt(Stmt::kPrint, line));
        body.back()->exprs.push_back(expressions_.Tuple());
        if (tokens_.At(Token::kPrintEnd)) {
          tokens_.Skip();
        } else {
          tokens_.Fail(absl::StrCat("expected token 'end of print statement', got '",
                                    tokens_.Describe(), "'"));
        }
      } else if (tokens_.At(Token::kBlockBegin)) {
        tokens_.Skip();
        if (AtEndTag(end_tags)) break;
        Tag(&body);
      } else {
        if (end_tags.size() > 0) {
          tokens_.Fail(absl::StrCat("Unexpected end of template, '",
                                    absl::StrJoin(end_tags, "' or '"), "' is missing"));
        }
        break;
      }
    }
    --blocks_;
    return body;
  }

  bool AtEndTag(EndTags end_tags) const {
    for (const absl::string_view tag : end_tags) {
      if (tokens_.AtName(tag)) return true;
    }
    return false;
  }

  // Statements up to `end_tag`, which is taken with the end of its block.
  Body BodyUpTo(absl::string_view end_tag) {
    tokens_.ExpectEndOfBlock();
    Body body = Statements({end_tag});
    tokens_.ExpectName(end_tag);
    tokens_.ExpectEndOfBlock();
    return body;
  }

  // The same for a body that is compiled on its own: an `if` around it forgives nothing in it.
  Body OwnBodyUpTo(absl::string_view end_tag) {
    const size_t unknown = expressions_.UnknownNames();
    Body body = BodyUpTo(end_tag);
    expressions_.RefuseUnknownNames(unknown);
    return body;
  }

  // A tag whose name is the current token; its statement goes to `body`.
  void Tag(Body* body) {
    const int line = tokens_.current().line;
    const std::string name = tokens_.ExpectAnyName();
    using Parse = std::unique_ptr<Stmt> (StatementParser::*)(int line);
    constexpr std::pair<absl::string_view, Parse> kTags[] = {
        {"autoescape", &StatementParser::Autoescape},
        {"block", &StatementParser::Block},
        {"break", &StatementParser::Break},
        {"call", &StatementParser::CallBlock},
        {"continue", &StatementParser::Continue},
        {"extends", &StatementParser::Load},
        {"filter", &StatementParser::FilterBlock},
        {"for", &StatementParser::For},
        {"from", &StatementParser::Load},
        {"generation", &StatementParser::Generation},
        {"if", &StatementParser::If},
        {"import", &StatementParser::Load},
        {"include", &StatementParser::Load},
        {"macro", &StatementParser::Macro},
        {"set", &StatementParser::Set},
        {"with", &StatementParser::With},
    };
    if (name == "print") return Print(body, line);
    for (const auto& [tag, parse] : kTags) {
      if (tag == name) {
        body->push_back((this->*parse)(line));
        return;
      }
    }
    tokens_.Fail(absl::StrCat("Encountered unknown tag '", name, "'."), line);
  }

  void Print(Body* body, int line) {
    do {
      body->push_back(MakeStmt(Stmt::kPrint, line));
      body->back()->exprs.push_back(expressions_.Expression());
    } while (tokens_.TakeOperator(","));
    tokens_.ExpectEndOfBlock();
  }

  std::unique_ptr<Stmt> For(int line) {
    auto stmt = MakeStmt(Stmt::kFor, line);
    stmt->target = expressions_.AssignmentTarget(false, "in");
    tokens_.ExpectName("in");
    stmt->exprs.push_back(expressions_.Tuple(false, "recursive"));
    const size_t unknown = expressions_.UnknownNames();
    stmt->exprs.push_back(tokens_.TakeName("if") ? expressions_.Expression() : nullptr);
    stmt->recursive = tokens_.TakeName("recursive");
    tokens_.ExpectEndOfBlock();
    ++loops_;
    stmt->body = Statements({"endfor", "else"});
    --loops_;
    if (tokens_.TakeName("else")) {
      stmt->else_body = BodyUpTo("endfor");
    } else {
      tokens_.ExpectName("endfor");
      tokens_.ExpectEndOfBlock();
    }
    expressions_.RefuseUnknownNames(unknown);
    return stmt;
  }

  std::unique_ptr<Stmt> If(int line) {
    auto first = MakeStmt(Stmt::kIf, line);
    const size_t unknown = expressions_.UnknownNames();
    // Branches are a flat list here, so that many elifs do not nest.
    while (!tokens_.failed()) {
      first->exprs.push_back(expressions_.Tuple(false));
      tokens_.ExpectEndOfBlock();
      first->branches.push_back(Statements({"elif", "else", "endif"}));
      if (!tokens_.TakeName("elif")) break;
    }
    if (tokens_.TakeName("else")) {
      first->else_body = BodyUpTo("endif");
    } else {
      tokens_.ExpectName("endif");
      tokens_.ExpectEndOfBlock();
    }
    expressions_.ForgiveUnknownNames(unknown);
    return first;
  }

  std::unique_ptr<Stmt> Set(int line) {
    auto stmt = MakeStmt(Stmt::kSet, line);
    stmt->target = expressions_.AssignmentTarget(true);
    if (tokens_.TakeOperator("=")) {
      stmt->exprs.push_back(expressions_.Tuple());
      tokens_.ExpectEndOfBlock();
      return stmt;
    }
    stmt->kind = Stmt::kSetBlock;
    stmt->exprs.push_back(expressions_.Filters(nullptr, false));
    stmt->body = OwnBodyUpTo("endset");
    return stmt;
  }

  std::unique_ptr<Stmt> With(int line) {
    auto stmt = MakeStmt(Stmt::kWith, line);
    const size_t unknown = expressions_.UnknownNames();
    while (!tokens_.failed() && !tokens_.At(Token::kBlockEnd)) {
      if (!stmt->targets.empty()) tokens_.ExpectOperator(",");
      stmt->targets.push_back(expressions_.AssignmentTarget(false, "="));
      tokens_.ExpectOperator("=");
      stmt->exprs.push_back(expressions_.Expression());
    }
    stmt->body = BodyUpTo("endwith");
    expressions_.RefuseUnknownNames(unknown);
    return stmt;
  }

  std::unique_ptr<Stmt> Autoescape(int line) {
    auto stmt = MakeStmt(Stmt::kAutoescape, line);
    stmt->exprs.push_back(expressions_.Expression());
    stmt->body = OwnBodyUpTo("endautoescape");
    return stmt;
  }

  std::unique_ptr<Stmt> FilterBlock(int line) {
    auto stmt = MakeStmt(Stmt::kFilter, line);
    stmt->exprs.push_back(expressions_.Filters(nullptr, true));
    stmt->body = OwnBodyUpTo("endfilter");
    return stmt;
  }

  // Without inheritance a block is its body, with variables of its own.
  std::unique_ptr<Stmt> Block(int line) {
    auto stmt = MakeStmt(Stmt::kScope, line);
    const std::string name = tokens_.ExpectAnyName();
    tokens_.TakeName("scoped");
    tokens_.ExpectEndOfBlock();
    const int loops = std::exchange(loops_, 0);
    stmt->body = Statements({"endblock"});
    loops_ = loops;
    tokens_.ExpectName("endblock");
    tokens_.TakeName(name);
    tokens_.ExpectEndOfBlock();
    return stmt;
  }

  std::unique_ptr<Stmt> Generation(int line) {
    auto stmt = MakeStmt(Stmt::kGeneration, line);
    const int loops = std::exchange(loops_, 0);
    stmt->body = OwnBodyUpTo("endgeneration");
    loops_ = loops;
    return stmt;
  }

  std::unique_ptr<Stmt> Break(int line) { return LoopControl(Stmt::kBreak, line); }
  std::unique_ptr<Stmt> Continue(int line) { return LoopControl(Stmt::kContinue, line); }
  std::unique_ptr<Stmt> LoopControl(Stmt::Kind kind, int line) {
    if (loops_ == 0) tokens_.Fail("break and continue belong inside a loop", line);
    tokens_.ExpectEndOfBlock();
    return MakeStmt(kind, line);
  }

  // There is nothing to load from; as in jinja that is an error only where it is reached.
  std::unique_ptr<Stmt> Load(int line) {
    expressions_.Expression();
    while (!tokens_.failed() && !tokens_.At(Token::kBlockEnd) && !tokens_.At(Token::kEnd)) {
      tokens_.Skip();
    }
    tokens_.ExpectEndOfBlock();
    return MakeStmt(Stmt::kLoad, line);
  }

  std::unique_ptr<Stmt> Macro(int line) {
    auto stmt = MakeStmt(Stmt::kMacro, line);
    stmt->macro = std::make_unique<MacroDefinition>();
    stmt->macro->name = tokens_.ExpectAnyName();
    Signature(stmt->macro.get());
    MacroBody(stmt->macro.get(), "endmacro");
    return stmt;
  }

  std::unique_ptr<Stmt> CallBlock(int line) {
    auto stmt = MakeStmt(Stmt::kCall, line);
    stmt->macro = std::make_unique<MacroDefinition>();
    stmt->macro->name = "caller";
    if (tokens_.AtOperator("(")) Signature(stmt->macro.get());
    stmt->exprs.push_back(expressions_.Expression());
    if (!tokens_.failed() && stmt->exprs[0]->kind != Expr::kCall) tokens_.Fail("expected call");
    MacroBody(stmt->macro.get(), "endcall");
    return stmt;
  }

  void Signature(MacroDefinition* macro) {
    tokens_.ExpectOperator("(");
    while (!tokens_.failed() && !tokens_.AtOperator(")")) {
      macro->parameters.push_back(tokens_.ExpectAnyName());
      if (tokens_.TakeOperator("=")) {
        macro->defaults.push_back(expressions_.Expression());
      } else if (!macro->defaults.empty()) {
        tokens_.Fail("non-default argument follows default argument");
      }
      if (!tokens_.AtOperator(")")) tokens_.ExpectOperator(",");
    }
    tokens_.ExpectOperator(")");
  }

  void MacroBody(MacroDefinition* macro, absl::string_view end_tag) {
    expressions_.macro_mentions.emplace_back();
    const int loops = std::exchange(loops_, 0);
    macro->body = OwnBodyUpTo(end_tag);
    loops_ = loops;
    const ExpressionParser::Mentions mentions = expressions_.macro_mentions.back();
    expressions_.macro_mentions.pop_back();
    macro->uses_varargs = mentions.varargs;
    macro->uses_kwargs = mentions.kwargs;
    macro->uses_caller = mentions.caller;
  }

  TokenReader tokens_;
  ExpressionParser expressions_;
  int blocks_ = 0;  // around the current place
  int loops_ = 0;   // that a break here could end
};

}  // namespace

absl::StatusOr<std::unique_ptr<const Program>> ParseTemplate(absl::string_view source) {
  std::vector<Token> tokens;
  SyntaxError error;
  if (!Tokenize(source, &tokens, &error)) {
    return absl::InvalidArgumentError(absl::StrCat("line ", error.line, ": ", error.cause));
  }
  return StatementParser(std::move(tokens)).Run();
}

}  // namespace switchboard::text::jinja
