// What the parts of one rendering share: budget, clock, and how builtins are called.
#ifndef SWITCHBOARD_TEXT_TEMPLATE_RUNTIME_H_
#define SWITCHBOARD_TEXT_TEMPLATE_RUNTIME_H_

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/clock.h"
#include "base/status_macros.h"
#include "text/template/budget.h"
#include "text/template/objects.h"
#include "text/template/value.h"

namespace switchboard::text::jinja {

// Not thread-safe; one per rendering.
class Runtime {
 public:
  Runtime(Budget* budget, const Clock* clock) : budget_(budget), clock_(clock) {}
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;
  ~Runtime();

  Budget* budget() { return budget_; }
  const Clock& clock() const { return *clock_; }

  // Values that live on the budget.
  Value String(MarkedText text) { return Value::String(std::move(text), budget_); }
  // A string that counts as escaped HTML exactly if `like` does.
  Value StringLike(const Value& like, MarkedText text);
  Value Data(absl::string_view text) { return String(MarkedText::Data(text)); }
  Value List(std::vector<Value> items) { return Value::List(std::move(items), budget_); }
  Value Tuple(std::vector<Value> items) { return Value::Tuple(std::move(items), budget_); }
  Value Iterator(std::vector<Value> items);
  Value Namespace(std::vector<std::pair<std::string, Value>> attributes);

  // Whether printed values are escaped as HTML now ({% autoescape %}).
  bool autoescape = false;
  // Set by raise_exception: its message is the error, with nothing added.
  bool raised = false;

 private:
  Budget* const budget_;
  const Clock* const clock_;
  std::vector<std::shared_ptr<NamespaceObject>> namespaces_;  // emptied at the end
};

// The arguments of a call, evaluated.
struct Arguments {
  std::vector<Value> positional;
  std::vector<std::pair<std::string, Value>> keyword;
};

// A filter, test, method or function. `subject` is what is filtered, tested, or has the method;
// undefined for functions.
using Builtin = absl::StatusOr<Value> (*)(Runtime& runtime, const Value& subject,
                                          const Arguments& arguments);

// Something with behaviour of its own. May be called or have attributes.
class Entity : public Object {
 public:
  using Object::Object;
  virtual std::string TypeName() const = 0;  // for messages
  virtual bool callable() const { return true; }
  virtual absl::StatusOr<Value> Call(Runtime& runtime, const Arguments& arguments);
  // The attribute, or nothing when there is none of that name.
  virtual absl::StatusOr<std::optional<Value>> Attribute(Runtime& runtime, absl::string_view name);
};

// A builtin bound to its subject.
Value MakeFunction(absl::string_view name, Builtin builtin, Value subject = Value());

// Calls any value; an error for what cannot be called.
absl::StatusOr<Value> CallValue(Runtime& runtime, const Value& callee, const Arguments& arguments);

// The arguments in the order of `names`, missing ones NotGiven().
// Error when there are more, or one has another name.
absl::StatusOr<std::vector<Value>> Bind(const Arguments& arguments,
                                        absl::Span<const absl::string_view> names);
// Whether Bind() found the argument. An undefined value that was passed counts as given.
bool IsGiven(const Value& argument);

// A value by Python's name of its type: 'str', 'dict', 'NoneType'.
std::string TypeName(const Value& value);

// OK for a string, else an error.
absl::Status ExpectString(const Value& value);
// InvalidArgument.
absl::Status TypeError(absl::string_view message);
// For a value that is used although nothing was found: its reason.
absl::Status UndefinedError(const Value& undefined);

}  // namespace switchboard::text::jinja

#endif  // SWITCHBOARD_TEXT_TEMPLATE_RUNTIME_H_
