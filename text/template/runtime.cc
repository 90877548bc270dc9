#include "text/template/runtime.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace switchboard::text::jinja {
namespace {

class Function final : public Entity {
 public:
  Function(absl::string_view name, Builtin builtin, Value subject)
      : Entity(nullptr, 0, subject.depth() + 1),
        name_(name),
        builtin_(builtin),
        subject_(std::move(subject)) {}

  std::string TypeName() const override { return "builtin_function_or_method"; }
  absl::StatusOr<Value> Call(Runtime& runtime, const Arguments& arguments) override {
    return builtin_(runtime, subject_, arguments);
  }
  absl::StatusOr<std::optional<Value>> Attribute(Runtime& runtime,
                                                 absl::string_view name) override {
    if (name == "name") return std::optional<Value>(runtime.Data(name_));
    return std::optional<Value>();
  }

 private:
  const std::string name_;
  const Builtin builtin_;
  const Value subject_;
};

}  // namespace

Runtime::~Runtime() {
  // A namespace may hold itself; without its attributes nothing holds anything.
  for (const auto& ns : namespaces_) ns->attributes.clear();
}

Value Runtime::StringLike(const Value& like, MarkedText text) {
  const bool markup = like.is_string() && like.As<StringObject>().markup;
  return markup ? Value::Markup(std::move(text), budget_) : String(std::move(text));
}

Value Runtime::Iterator(std::vector<Value> items) {
  return Value::FromObject(Kind::kIterator,
                           std::make_shared<IteratorObject>(std::move(items), budget_));
}

Value Runtime::Namespace(std::vector<std::pair<std::string, Value>> attributes) {
  auto object = std::make_shared<NamespaceObject>(budget_);
  for (auto& [name, value] : attributes) object->attributes[name] = std::move(value);
  namespaces_.push_back(object);
  return Value::FromObject(Kind::kNamespace, std::move(object));
}

absl::StatusOr<Value> Entity::Call(Runtime&, const Arguments&) {
  return TypeError(absl::StrCat("'", TypeName(), "' object is not callable"));
}

absl::StatusOr<std::optional<Value>> Entity::Attribute(Runtime&, absl::string_view) {
  return std::optional<Value>();
}

Value MakeFunction(absl::string_view name, Builtin builtin, Value subject) {
  return Value::FromObject(Kind::kEntity,
                           std::make_shared<Function>(name, builtin, std::move(subject)));
}

absl::StatusOr<Value> CallValue(Runtime& runtime, const Value& callee, const Arguments& arguments) {
  if (callee.Is(Kind::kUndefined)) return UndefinedError(callee);
  if (!callee.Is(Kind::kEntity)) {
    return TypeError(absl::StrCat("'", TypeName(callee), "' object is not callable"));
  }
  return callee.Shared<Entity>()->Call(runtime, arguments);
}

absl::StatusOr<std::vector<Value>> Bind(const Arguments& arguments,
                                        absl::Span<const absl::string_view> names) {
  if (arguments.positional.size() > names.size()) {
    return TypeError(absl::StrCat("takes at most ", names.size(), " arguments, got ",
                                  arguments.positional.size()));
  }
  std::vector<Value> bound = arguments.positional;
  bound.resize(names.size(), Value::NotGiven());
  for (const auto& [name, value] : arguments.keyword) {
    const auto at = std::find(names.begin(), names.end(), name);
    if (at == names.end()) {
      return TypeError(absl::StrCat("got an unexpected keyword argument '", name, "'"));
    }
    Value& place = bound[static_cast<size_t>(at - names.begin())];
    if (IsGiven(place)) {
      return TypeError(absl::StrCat("got multiple values for argument '", name, "'"));
    }
    place = value;
  }
  return bound;
}

bool IsGiven(const Value& argument) { return !argument.SameAs(Value::NotGiven()); }

std::string TypeName(const Value& value) {
  switch (value.kind()) {
    case Kind::kUndefined:
      return "Undefined";
    case Kind::kNone:
      return "NoneType";
    case Kind::kBool:
      return "bool";
    case Kind::kInt:
      return "int";
    case Kind::kFloat:
      return "float";
    case Kind::kString:
      return value.As<StringObject>().markup ? "Markup" : "str";
    case Kind::kBytes:
      return "bytes";
    case Kind::kList:
      return "list";
    case Kind::kTuple:
      return "tuple";
    case Kind::kDict:
      return "dict";
    case Kind::kDictView: {
      const auto part = value.As<DictViewObject>().part;
      return part == DictViewObject::kItems  ? "dict_items"
             : part == DictViewObject::kKeys ? "dict_keys"
                                             : "dict_values";
    }
    case Kind::kRange:
      return "range";
    case Kind::kIterator:
      return "generator";
    case Kind::kNamespace:
      return "Namespace";
    case Kind::kEntity:
      return value.As<Entity>().TypeName();
  }
  return "object";
}

absl::Status ExpectString(const Value& value) {
  if (value.is_string()) return absl::OkStatus();
  if (value.Is(Kind::kUndefined)) return UndefinedError(value);
  return TypeError(absl::StrCat("expected a string, got ", TypeName(value)));
}

absl::Status TypeError(absl::string_view message) { return absl::InvalidArgumentError(message); }

absl::Status UndefinedError(const Value& undefined) {
  return absl::InvalidArgumentError(undefined.why_undefined());
}

}  // namespace switchboard::text::jinja
