// Macros, and the callers that call blocks hand to them.
#ifndef SWITCHBOARD_TEXT_TEMPLATE_MACRO_H_
#define SWITCHBOARD_TEXT_TEMPLATE_MACRO_H_

#include <memory>
#include <string>
#include <utility>

#include "text/template/ast.h"
#include "text/template/interpreter.h"
#include "text/template/runtime.h"

namespace switchboard::text::jinja {

// Sees the variables where it was defined as they are when it is called.
class Macro final : public Entity {
 public:
  Macro(Interpreter* interpreter, const MacroDefinition& definition, std::shared_ptr<Scope> around);
  std::string TypeName() const override { return "Macro"; }
  absl::StatusOr<Value> Call(Runtime& runtime, const Arguments& arguments) override;
  absl::StatusOr<std::optional<Value>> Attribute(Runtime& runtime, absl::string_view name) override;

 private:
  // Gives each parameter its argument, its default, or undefined; removes what it takes from
  // `keyword`.
  absl::Status BindParameters(const Arguments& arguments,
                              std::vector<std::pair<std::string, Value>>* keyword,
                              const std::shared_ptr<Scope>& scope);
  // varargs, kwargs and caller, for a body that mentions them; an error for what nobody takes.
  absl::Status BindRest(const Arguments& arguments,
                        std::vector<std::pair<std::string, Value>> keyword, Scope* scope);
  const Expr* DefaultOf(size_t parameter) const;

  Interpreter& interpreter_;
  const MacroDefinition& definition_;
  const std::shared_ptr<Scope> around_;
  const bool autoescape_;  // where it was defined
};

}  // namespace switchboard::text::jinja

#endif  // SWITCHBOARD_TEXT_TEMPLATE_MACRO_H_
