#include "text/template/loop.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "text/template/compare.h"

namespace switchboard::text::jinja {

using MaybeValue = absl::StatusOr<std::optional<Value>>;

Loop::Loop(Interpreter* interpreter, const Stmt& stmt, std::shared_ptr<Scope> around, Value items,
           int depth)
    : Entity(interpreter->runtime().budget(), sizeof(Loop), items.depth() + 1),
      interpreter_(*interpreter),
      stmt_(stmt),
      around_(std::move(around)),
      items_(std::move(items)),
      depth_(depth) {}

absl::StatusOr<size_t> Loop::Accept(size_t count) {
  const std::vector<Value>& items = items_.items();
  const Expr* test = stmt_.exprs[1].get();
  while (accepted_.size() < count && tested_ < items.size()) {
    if (!interpreter_.runtime().budget()->Spend(1))
      return interpreter_.runtime().budget()->status();
    const size_t place = tested_++;
    if (test != nullptr) {
      auto scope = std::make_shared<Scope>(around_);
      RETURN_IF_ERROR(interpreter_.Assign(scope.get(), stmt_.target, items[place]));
      ASSIGN_OR_RETURN(const Value holds, interpreter_.EvaluateIn(std::move(scope), *test));
      if (!IsTrue(holds)) continue;
    }
    accepted_.push_back(place);
  }
  return accepted_.size();
}

absl::StatusOr<bool> Loop::Advance() {
  ASSIGN_OR_RETURN(const size_t accepted, Accept(rounds_ + 1));
  if (accepted <= rounds_) return false;
  ++rounds_;
  return true;
}

absl::StatusOr<Value> Loop::Call(Runtime& runtime, const Arguments& arguments) {
  if (!stmt_.recursive) {
    return TypeError("The loop must have the 'recursive' marker to be called recursively.");
  }
  ASSIGN_OR_RETURN(const std::vector<Value> args, Bind(arguments, {"iterable"}));
  return interpreter_.CaptureLoop(stmt_, around_, args[0], depth_ + 1);
}

MaybeValue Loop::LookAhead(absl::string_view name) {
  if (name == "last" || name == "nextitem") {
    ASSIGN_OR_RETURN(const size_t accepted, Accept(rounds_ + 1));
    const bool last = accepted <= rounds_;
    if (name == "last") return std::optional<Value>(Value::Bool(last));
    return std::optional<Value>(last ? Value::Undefined("there is no next item")
                                     : items_.items()[accepted_[rounds_]]);
  }
  ASSIGN_OR_RETURN(const size_t length, Accept(items_.items().size()));
  if (name == "length") return std::optional<Value>(Value::Number(Int(length)));
  const Int rest = Int(length) - Int(rounds_);
  return std::optional<Value>(Value::Number(name == "revindex" ? rest + 1 : rest));
}

MaybeValue Loop::Attribute(Runtime& runtime, absl::string_view name) {
  const auto number = [](Int value) { return std::optional<Value>(Value::Number(value)); };
  if (name == "index") return number(Int(rounds_));
  if (name == "index0") return number(Int(rounds_) - 1);
  if (name == "first") return std::optional<Value>(Value::Bool(rounds_ == 1));
  if (name == "depth") return number(depth_ + 1);
  if (name == "depth0") return number(depth_);
  if (name == "previtem") {
    return std::optional<Value>(rounds_ < 2 ? Value::Undefined("there is no previous item")
                                            : items_.items()[accepted_[rounds_ - 2]]);
  }
  if (name == "last" || name == "nextitem" || name == "length" || name == "revindex" ||
      name == "revindex0") {
    return LookAhead(name);
  }
  const Value self = Value::FromObject(Kind::kEntity, shared_from_this());
  if (name == "cycle") return std::optional<Value>(MakeFunction(name, Cycle, self));
  if (name == "changed") return std::optional<Value>(MakeFunction(name, Changed, self));
  return std::optional<Value>();
}

absl::StatusOr<Value> Loop::Cycle(Runtime&, const Value& self, const Arguments& call) {
  if (call.positional.empty()) return TypeError("no items for cycling given");
  const size_t index = self.As<Loop>().rounds_ - 1;
  return call.positional[index % call.positional.size()];
}

absl::StatusOr<Value> Loop::Changed(Runtime& runtime, const Value& self, const Arguments& call) {
  Loop& loop = *self.Shared<Loop>();
  bool same =
      std::exchange(loop.changed_called_, true) && loop.seen_.size() == call.positional.size();
  for (size_t i = 0; same && i < call.positional.size(); ++i) {
    same = Equal(loop.seen_[i], call.positional[i], runtime.budget());
  }
  loop.seen_ = call.positional;
  return Value::Bool(!same);
}

}  // namespace switchboard::text::jinja
