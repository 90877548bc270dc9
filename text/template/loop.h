// The variable `loop`: where a for loop stands.
#ifndef SWITCHBOARD_TEXT_TEMPLATE_LOOP_H_
#define SWITCHBOARD_TEXT_TEMPLATE_LOOP_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "text/template/ast.h"
#include "text/template/interpreter.h"
#include "text/template/runtime.h"

namespace switchboard::text::jinja {

// Items are tested by the loop's `if` one at a time, when their round comes or an attribute looks
// ahead: the test may depend on what earlier rounds did.
class Loop final : public Entity, public std::enable_shared_from_this<Loop> {
 public:
  // `items` is a list.
  Loop(Interpreter* interpreter, const Stmt& stmt, std::shared_ptr<Scope> around, Value items,
       int depth);
  std::string TypeName() const override { return "LoopContext"; }
  bool callable() const override { return stmt_.recursive; }

  // Goes to the next item; false when there is none.
  absl::StatusOr<bool> Advance();
  // REQUIRES: the last Advance() gave true.
  const Value& current() const { return items_.items()[accepted_[rounds_ - 1]]; }
  // Forgets what changed() saw, which may be this loop.
  void Finish() { seen_.clear(); }

  // loop(children): the same loop, one level deeper.
  absl::StatusOr<Value> Call(Runtime& runtime, const Arguments& arguments) override;
  absl::StatusOr<std::optional<Value>> Attribute(Runtime& runtime, absl::string_view name) override;

 private:
  static absl::StatusOr<Value> Cycle(Runtime& runtime, const Value& self, const Arguments& call);
  static absl::StatusOr<Value> Changed(Runtime& runtime, const Value& self, const Arguments& call);
  // Tests items until `count` are accepted or none are left; gives how many are.
  absl::StatusOr<size_t> Accept(size_t count);
  absl::StatusOr<std::optional<Value>> LookAhead(absl::string_view name);

  Interpreter& interpreter_;
  const Stmt& stmt_;
  const std::shared_ptr<Scope> around_;
  const Value items_;
  const int depth_;               // 0 for the outermost
  std::vector<size_t> accepted_;  // places in items_
  size_t tested_ = 0;
  size_t rounds_ = 0;  // begun; the current item is accepted_[rounds_ - 1]
  std::vector<Value> seen_;
  bool changed_called_ = false;
};

}  // namespace switchboard::text::jinja

#endif  // SWITCHBOARD_TEXT_TEMPLATE_LOOP_H_
