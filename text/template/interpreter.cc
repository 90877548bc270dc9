#include "text/template/interpreter.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "text/template/compare.h"
#include "text/template/loop.h"
#include "text/template/macro.h"
#include "text/template/operators.h"
#include "text/template/print.h"

namespace switchboard::text::jinja {
namespace {

// Macros defined in macros defined in macros. Only closures can nest scopes deeper than the
// evaluation.
constexpr int kMaxClosures = 400;

}  // namespace

const Value* Scope::Find(absl::string_view name) const {
  for (const Scope* scope = this; scope != nullptr; scope = scope->parent_.get()) {
    const auto found = scope->variables_.find(name);
    if (found != scope->variables_.end()) return &found->second;
  }
  return nullptr;
}

Interpreter::Interpreter(const Value& context, const TemplateLimits& limits, Runtime* runtime)
    : context_(context), limits_(limits), runtime_(*runtime), output_(runtime->budget()) {}

Interpreter::~Interpreter() {
  for (const std::shared_ptr<Scope>& scope : captured_) scope->Clear();
  globals_->Clear();
}

Interpreter::Level::Level(Interpreter* interpreter) : interpreter_(*interpreter) {
  Budget& budget = *interpreter_.runtime_.budget();
  if (++interpreter_.depth_ > interpreter_.limits_.depth) budget.Fail("it nests too deeply");
  if (!budget.Spend(1)) status_ = budget.status();
}

absl::Status Interpreter::Run(const Body& body) {
  RETURN_IF_ERROR(Execute(body).status());
  return runtime_.budget()->status();
}

absl::StatusOr<Flow> Interpreter::Execute(const Body& body) {
  for (const std::unique_ptr<Stmt>& stmt : body) {
    const Level level(this);
    absl::StatusOr<Flow> flow =
        level.status().ok() ? ExecuteStmt(*stmt) : absl::StatusOr<Flow>(level.status());
    if (!flow.ok() && error_line_ == 0) error_line_ = stmt->line;
    if (!flow.ok() || *flow != Flow::kNext) return flow;
  }
  return Flow::kNext;
}

absl::StatusOr<Flow> Interpreter::ExecuteIn(std::shared_ptr<Scope> scope, const Body& body) {
  std::swap(scope_, scope);
  absl::StatusOr<Flow> flow = Execute(body);
  std::swap(scope_, scope);
  return flow;
}

Value Interpreter::Captured(MarkedText text) {
  return runtime_.autoescape ? Value::Markup(std::move(text), runtime_.budget())
                             : runtime_.String(std::move(text));
}

absl::StatusOr<Flow> Interpreter::CaptureTo(std::shared_ptr<Scope> scope, const Body& body,
                                            Value* text) {
  TextBuilder builder(runtime_.budget());
  TextBuilder* const outer = std::exchange(out_, &builder);
  const absl::StatusOr<Flow> flow = ExecuteIn(std::move(scope), body);
  out_ = outer;
  *text = Captured(builder.Take());
  return flow;
}

absl::StatusOr<Value> Interpreter::Capture(std::shared_ptr<Scope> scope, const Body& body) {
  Value text;
  RETURN_IF_ERROR(CaptureTo(std::move(scope), body, &text).status());
  return text;
}

absl::StatusOr<Flow> Interpreter::ExecuteStmt(const Stmt& stmt) {
  switch (stmt.kind) {
    case Stmt::kIf:
      return If(stmt);
    case Stmt::kWith:
      return With(stmt);
    case Stmt::kScope:
      return Autoescaped(false, std::make_shared<Scope>(globals_), stmt.body);
    case Stmt::kAutoescape: {
      ASSIGN_OR_RETURN(const Value on, Evaluate(*stmt.exprs[0]));
      return Autoescaped(IsTrue(on), NewScope(), stmt.body);
    }
    case Stmt::kSetBlock:
      return SetBlock(stmt);
    case Stmt::kFilter:
      return FilterBlock(stmt);
    case Stmt::kBreak:
      return Flow::kBreak;
    case Stmt::kContinue:
      return Flow::kContinue;
    default:
      RETURN_IF_ERROR(ExecuteSimple(stmt));
      return Flow::kNext;
  }
}

// Statements that always go on with the next one.
absl::Status Interpreter::ExecuteSimple(const Stmt& stmt) {
  switch (stmt.kind) {
    case Stmt::kText:
      out_->Append(stmt.text.marked());
      return absl::OkStatus();
    case Stmt::kPrint: {
      ASSIGN_OR_RETURN(const Value value, Evaluate(*stmt.exprs[0]));
      return Print(value);
    }
    case Stmt::kFor:
      return For(stmt);
    case Stmt::kSet: {
      ASSIGN_OR_RETURN(const Value value, Evaluate(*stmt.exprs[0]));
      return Assign(scope_.get(), stmt.target, value);
    }
    case Stmt::kMacro:
      scope_->Set(stmt.macro->name, MakeMacro(*stmt.macro));
      return absl::OkStatus();
    case Stmt::kCall:
      return CallBlock(stmt);
    case Stmt::kGeneration:
      return Generation(stmt);
    default:
      return TypeError("no loader for this environment specified");
  }
}

absl::Status Interpreter::Print(const Value& value) {
  if (runtime_.autoescape) {
    out_->Append(EscapeHtml(runtime_, value));
  } else {
    PrintTo(value, out_);
  }
  if (output_.size() > limits_.output_bytes) {
    runtime_.budget()->Fail(
        absl::StrCat("its output is longer than ", limits_.output_bytes, " bytes"));
  }
  return runtime_.budget()->status();
}

absl::StatusOr<Flow> Interpreter::If(const Stmt& stmt) {
  for (size_t i = 0; i < stmt.exprs.size(); ++i) {
    ASSIGN_OR_RETURN(const Value condition, Evaluate(*stmt.exprs[i]));
    if (IsTrue(condition)) return Execute(stmt.branches[i]);
  }
  return Execute(stmt.else_body);
}

absl::Status Interpreter::For(const Stmt& stmt) {
  ASSIGN_OR_RETURN(const Value iterable, Evaluate(*stmt.exprs[0]));
  return RunLoop(stmt, scope_, iterable, 0);
}

absl::Status Interpreter::RunLoop(const Stmt& stmt, std::shared_ptr<Scope> around,
                                  const Value& iterable, int depth) {
  Value items = iterable;
  if (!items.Is(Kind::kList) && !items.Is(Kind::kTuple)) {
    ASSIGN_OR_RETURN(std::vector<Value> list, Iterate(iterable, runtime_.budget()));
    items = runtime_.List(std::move(list));
  }
  const auto loop = std::make_shared<Loop>(this, stmt, around, std::move(items), depth);
  bool any = false;
  while (true) {
    ASSIGN_OR_RETURN(const bool more, loop->Advance());
    if (!more) break;
    any = true;
    auto scope = std::make_shared<Scope>(around);
    RETURN_IF_ERROR(Assign(scope.get(), stmt.target, loop->current()));
    scope->Set("loop", Value::FromObject(Kind::kEntity, loop));
    ASSIGN_OR_RETURN(const Flow flow, ExecuteIn(std::move(scope), stmt.body));
    if (flow == Flow::kBreak) break;
  }
  loop->Finish();
  if (any) return absl::OkStatus();
  return ExecuteIn(std::make_shared<Scope>(around), stmt.else_body).status();
}

absl::StatusOr<Value> Interpreter::CaptureLoop(const Stmt& stmt, std::shared_ptr<Scope> around,
                                               const Value& iterable, int depth) {
  const Level level(this);
  RETURN_IF_ERROR(level.status());
  TextBuilder text(runtime_.budget());
  TextBuilder* const outer = std::exchange(out_, &text);
  const absl::Status status = RunLoop(stmt, std::move(around), iterable, depth);
  out_ = outer;
  RETURN_IF_ERROR(status);
  return Captured(text.Take());
}

absl::Status Interpreter::Assign(Scope* scope, const Target& target, const Value& value) {
  if (target.kind == Target::kName) {
    scope->Set(target.name, value);
    return absl::OkStatus();
  }
  if (target.kind == Target::kAttribute) {
    const Value* ns = scope->Find(target.name);
    if (ns == nullptr) ns = context_.As<DictObject>().Find(target.name);
    if (ns == nullptr || !ns->Is(Kind::kNamespace)) {
      return TypeError("cannot assign attribute on non-namespace object");
    }
    ns->Shared<NamespaceObject>()->attributes[target.attribute] = value;
    return absl::OkStatus();
  }
  if (!IsIterable(value)) {
    return TypeError(absl::StrCat("cannot unpack non-iterable ", TypeName(value), " object"));
  }
  ASSIGN_OR_RETURN(const std::vector<Value> items, Iterate(value, runtime_.budget()));
  if (items.size() != target.parts.size()) {
    return absl::InvalidArgumentError(absl::StrCat("cannot unpack ", items.size(), " values into ",
                                                   target.parts.size(), " names"));
  }
  for (size_t i = 0; i < items.size(); ++i) {
    RETURN_IF_ERROR(Assign(scope, target.parts[i], items[i]));
  }
  return absl::OkStatus();
}

absl::StatusOr<Value> Interpreter::ApplyFilters(const ExprPtr& chain, Value text) {
  if (chain == nullptr) return text;
  const Value* const outer = std::exchange(filtered_, &text);
  absl::StatusOr<Value> result = Evaluate(*chain);
  filtered_ = outer;
  return result;
}

// A break or continue inside leaves the block with nothing done.
absl::StatusOr<Flow> Interpreter::SetBlock(const Stmt& stmt) {
  Value text;
  ASSIGN_OR_RETURN(const Flow flow, CaptureTo(NewScope(), stmt.body, &text));
  if (flow != Flow::kNext) return flow;
  ASSIGN_OR_RETURN(const Value value, ApplyFilters(stmt.exprs[0], std::move(text)));
  RETURN_IF_ERROR(Assign(scope_.get(), stmt.target, value));
  return Flow::kNext;
}

absl::StatusOr<Flow> Interpreter::FilterBlock(const Stmt& stmt) {
  Value text;
  ASSIGN_OR_RETURN(const Flow flow, CaptureTo(NewScope(), stmt.body, &text));
  if (flow != Flow::kNext) return flow;
  ASSIGN_OR_RETURN(const Value value, ApplyFilters(stmt.exprs[0], std::move(text)));
  RETURN_IF_ERROR(Print(value));
  return Flow::kNext;
}

Value Interpreter::MakeMacro(const MacroDefinition& definition) {
  if (captured_.empty() || captured_.back() != scope_) captured_.push_back(scope_);
  if (scope_->depth() > kMaxClosures) runtime_.budget()->Fail("its macros nest too deeply");
  return Value::FromObject(Kind::kEntity, std::make_shared<Macro>(this, definition, scope_));
}

absl::Status Interpreter::CallBlock(const Stmt& stmt) {
  const Value caller = MakeMacro(*stmt.macro);
  ASSIGN_OR_RETURN(const Value value, Call(*stmt.exprs[0], &caller));
  return Print(value);
}

absl::StatusOr<Flow> Interpreter::With(const Stmt& stmt) {
  std::shared_ptr<Scope> scope = NewScope();
  for (size_t i = 0; i < stmt.targets.size(); ++i) {
    ASSIGN_OR_RETURN(const Value value, Evaluate(*stmt.exprs[i]));
    RETURN_IF_ERROR(Assign(scope.get(), stmt.targets[i], value));
  }
  return ExecuteIn(std::move(scope), stmt.body);
}

absl::StatusOr<Flow> Interpreter::Autoescaped(bool on, std::shared_ptr<Scope> scope,
                                              const Body& body) {
  const bool outer = std::exchange(runtime_.autoescape, on);
  absl::StatusOr<Flow> flow = ExecuteIn(std::move(scope), body);
  runtime_.autoescape = outer;
  return flow;
}

// Inside a macro the span begins where the output outside of it stood, as in the reference.
absl::Status Interpreter::Generation(const Stmt& stmt) {
  ASSIGN_OR_RETURN(const Value text, Capture(NewScope(), stmt.body));
  const size_t begin = output_.size();
  generation_spans_.push_back({begin, begin + text.text().size()});
  return Print(text);
}

}  // namespace switchboard::text::jinja
