#include "text/template/macro.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"

namespace switchboard::text::jinja {
namespace {

using Keywords = std::vector<std::pair<std::string, Value>>;

// A macro, and its share of the scope that it keeps alive.
constexpr size_t kBytesHeld = sizeof(Macro) + 512;

// Takes the keyword argument `name`, or gives NotGiven.
Value TakeKeyword(absl::string_view name, Keywords* keyword) {
  const auto at = std::find_if(keyword->begin(), keyword->end(),
                               [&](const auto& entry) { return entry.first == name; });
  if (at == keyword->end()) return Value::NotGiven();
  Value value = at->second;
  keyword->erase(at);
  return value;
}

}  // namespace

Macro::Macro(Interpreter* interpreter, const MacroDefinition& definition,
             std::shared_ptr<Scope> around)
    : Entity(interpreter->runtime().budget(), kBytesHeld, 1),
      interpreter_(*interpreter),
      definition_(definition),
      around_(std::move(around)),
      autoescape_(interpreter->runtime().autoescape) {}

absl::StatusOr<Value> Macro::Call(Runtime& runtime, const Arguments& arguments) {
  auto scope = std::make_shared<Scope>(around_);
  Keywords keyword = arguments.keyword;
  RETURN_IF_ERROR(BindParameters(arguments, &keyword, scope));
  RETURN_IF_ERROR(BindRest(arguments, std::move(keyword), scope.get()));
  const bool outer = std::exchange(runtime.autoescape, autoescape_);
  absl::StatusOr<Value> text = interpreter_.Capture(std::move(scope), definition_.body);
  runtime.autoescape = outer;
  if (!text.ok() || outer == autoescape_) return text;
  return outer ? Value::Markup(text->marked(), runtime.budget()) : runtime.String(text->marked());
}

const Expr* Macro::DefaultOf(size_t parameter) const {
  const size_t without = definition_.parameters.size() - definition_.defaults.size();
  return parameter < without ? nullptr : definition_.defaults[parameter - without].get();
}

absl::Status Macro::BindParameters(const Arguments& arguments, Keywords* keyword,
                                   const std::shared_ptr<Scope>& scope) {
  for (size_t i = 0; i < definition_.parameters.size(); ++i) {
    const std::string& name = definition_.parameters[i];
    Value value =
        i < arguments.positional.size() ? arguments.positional[i] : TakeKeyword(name, keyword);
    if (IsGiven(value)) {
      scope->Set(name, std::move(value));
    } else if (DefaultOf(i) == nullptr) {
      scope->Set(name, Value::Undefined(absl::StrCat("parameter '", name, "' was not provided")));
    } else {
      // A default may name the parameters before it.
      ASSIGN_OR_RETURN(value, interpreter_.EvaluateIn(scope, *DefaultOf(i)));
      scope->Set(name, std::move(value));
    }
  }
  return absl::OkStatus();
}

absl::Status Macro::BindRest(const Arguments& arguments, Keywords keyword, Scope* scope) {
  const bool has_parameter = std::find(definition_.parameters.begin(), definition_.parameters.end(),
                                       "caller") != definition_.parameters.end();
  if (definition_.uses_caller && !has_parameter) {
    const Value caller = TakeKeyword("caller", &keyword);
    scope->Set("caller", IsGiven(caller) ? caller : Value::Undefined("No caller defined"));
  }
  Runtime& runtime = interpreter_.runtime();
  if (definition_.uses_kwargs) {
    std::vector<DictObject::Entry> entries;
    for (auto& [name, value] : keyword) {
      entries.emplace_back(Value::Literal(name), std::move(value));
    }
    scope->Set("kwargs", Value::Dict(std::move(entries), runtime.budget()));
  } else if (!keyword.empty()) {
    return TypeError(absl::StrCat("macro '", definition_.name, "' takes no keyword argument '",
                                  keyword[0].first, "'"));
  }
  const size_t count = std::min(definition_.parameters.size(), arguments.positional.size());
  if (definition_.uses_varargs) {
    scope->Set("varargs",
               runtime.Tuple({arguments.positional.begin() + static_cast<ptrdiff_t>(count),
                              arguments.positional.end()}));
  } else if (arguments.positional.size() > count) {
    return TypeError(
        absl::StrCat("macro '", definition_.name, "' takes not more than ", count, " argument(s)"));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::optional<Value>> Macro::Attribute(Runtime& runtime, absl::string_view name) {
  if (name == "name") return std::optional<Value>(Value::Literal(definition_.name));
  if (name == "arguments") {
    std::vector<Value> names;
    for (const std::string& parameter : definition_.parameters) {
      names.push_back(Value::Literal(parameter));
    }
    return std::optional<Value>(runtime.Tuple(std::move(names)));
  }
  return std::optional<Value>();
}

}  // namespace switchboard::text::jinja
