// Runs a parsed template: walks the tree, keeps the variables, collects the output.
#ifndef SWITCHBOARD_TEXT_TEMPLATE_INTERPRETER_H_
#define SWITCHBOARD_TEXT_TEMPLATE_INTERPRETER_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "text/marked_text.h"
#include "text/template/ast.h"
#include "text/template/runtime.h"
#include "text/template/text_builder.h"

namespace switchboard::text::jinja {

// Variables of a block, a loop's round or a macro's call, on top of those around it.
class Scope {
 public:
  explicit Scope(std::shared_ptr<Scope> parent)
      : parent_(std::move(parent)), depth_(parent_ == nullptr ? 0 : parent_->depth_ + 1) {}
  // Here or further out; nullptr when there is none.
  const Value* Find(absl::string_view name) const;
  void Set(absl::string_view name, Value value) { variables_[name] = std::move(value); }
  // Drops all variables: a macro among them may hold this very scope.
  void Clear() { variables_.clear(); }
  int depth() const { return depth_; }

 private:
  const std::shared_ptr<Scope> parent_;
  const int depth_;
  absl::flat_hash_map<std::string, Value> variables_;
};

// How a list of statements ended.
enum class Flow { kNext, kBreak, kContinue };

// One rendering. Not thread-safe. Everything given must outlive it, and all values of the rendering
// must end before the budget.
class Interpreter {
 public:
  Interpreter(const Value& context, const TemplateLimits& limits, Runtime* runtime);
  ~Interpreter();
  Interpreter(const Interpreter&) = delete;
  Interpreter& operator=(const Interpreter&) = delete;

  absl::Status Run(const Body& body);
  MarkedText TakeOutput() { return output_.Take(); }
  std::vector<ByteRange> TakeGenerationSpans() { return std::move(generation_spans_); }
  // The line where the error arose, or 0.
  int error_line() const { return error_line_; }

  // What macros and loops need.
  Runtime& runtime() { return runtime_; }
  absl::StatusOr<Value> Evaluate(const Expr& expr);
  absl::StatusOr<Value> EvaluateIn(std::shared_ptr<Scope> scope, const Expr& expr);
  absl::StatusOr<Flow> ExecuteIn(std::shared_ptr<Scope> scope, const Body& body);
  // What `body`, which no break or continue leaves, prints.
  absl::StatusOr<Value> Capture(std::shared_ptr<Scope> scope, const Body& body);
  absl::Status Assign(Scope* scope, const Target& target, const Value& value);
  // The rounds of a loop over `iterable` (a call of loop() runs them again, one level deeper).
  absl::Status RunLoop(const Stmt& stmt, std::shared_ptr<Scope> around, const Value& iterable,
                       int depth);
  absl::StatusOr<Value> CaptureLoop(const Stmt& stmt, std::shared_ptr<Scope> around,
                                    const Value& iterable, int depth);

 private:
  // One more level of evaluation, and one step; an error when there are too many.
  class Level {
   public:
    explicit Level(Interpreter* interpreter);
    ~Level() { --interpreter_.depth_; }
    const absl::Status& status() const { return status_; }

   private:
    Interpreter& interpreter_;
    absl::Status status_;
  };
  using Result = absl::StatusOr<Value>;

  std::shared_ptr<Scope> NewScope() const { return std::make_shared<Scope>(scope_); }
  Value Captured(MarkedText text);
  absl::StatusOr<Flow> CaptureTo(std::shared_ptr<Scope> scope, const Body& body, Value* text);

  Result Dispatch(const Expr& expr);
  Result Lookup(const std::string& name);
  Result Items(const Expr& expr);
  Result DictLiteral(const Expr& expr);
  Result Attribute(const Expr& expr);
  Result Item(const Expr& expr);
  Result SliceOf(const Expr& expr);
  Result Call(const Expr& expr, const Value* caller);
  Result Filter(const Expr& expr);
  Result Test(const Expr& expr);
  Result Sign(const Expr& expr);
  Result Binary(const Expr& expr);
  Result Comparison(const Expr& expr);
  Result Logic(const Expr& expr);
  Result Conditional(const Expr& expr);
  absl::StatusOr<std::vector<Value>> EvaluateAll(const std::vector<ExprPtr>& exprs);
  absl::StatusOr<jinja::Arguments> EvaluateArguments(const ArgumentList& list);

  absl::StatusOr<Flow> Execute(const Body& body);
  absl::StatusOr<Flow> ExecuteStmt(const Stmt& stmt);
  absl::Status ExecuteSimple(const Stmt& stmt);
  absl::Status Print(const Value& value);
  absl::Status For(const Stmt& stmt);
  absl::StatusOr<Flow> If(const Stmt& stmt);
  absl::StatusOr<Flow> SetBlock(const Stmt& stmt);
  absl::Status CallBlock(const Stmt& stmt);
  absl::StatusOr<Flow> FilterBlock(const Stmt& stmt);
  absl::StatusOr<Flow> With(const Stmt& stmt);
  absl::StatusOr<Flow> Autoescaped(bool on, std::shared_ptr<Scope> scope, const Body& body);
  absl::Status Generation(const Stmt& stmt);
  Value MakeMacro(const MacroDefinition& definition);
  // `text` through the filters in `chain`, which may be null.
  Result ApplyFilters(const ExprPtr& chain, Value text);

  const Value& context_;
  const TemplateLimits& limits_;
  Runtime& runtime_;
  TextBuilder output_;
  TextBuilder* out_ = &output_;  // where printing goes now
  std::vector<ByteRange> generation_spans_;
  const std::shared_ptr<Scope> globals_ = std::make_shared<Scope>(nullptr);
  std::shared_ptr<Scope> scope_ = globals_;
  std::vector<std::shared_ptr<Scope>> captured_;  // held by macros; emptied at the end
  const Value* filtered_ = nullptr;               // the text that a block's filters work on
  int depth_ = 0;
  int error_line_ = 0;
};

}  // namespace switchboard::text::jinja

#endif  // SWITCHBOARD_TEXT_TEMPLATE_INTERPRETER_H_
