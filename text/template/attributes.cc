#include "text/template/attributes.h"

#include <optional>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "text/template/builtins.h"
#include "text/template/numbers.h"
#include "text/template/operators.h"
#include "text/template/print.h"

namespace switchboard::text::jinja {
namespace {

Value Missing(Runtime& runtime, const Value& object, const Value& key) {
  if (key.is_string()) {
    const std::string what =
        object.Is(Kind::kNone) ? "'None'" : absl::StrCat("'", TypeName(object), " object'");
    return Value::Undefined(absl::StrCat(what, " has no attribute '", key.text(), "'"));
  }
  return Value::Undefined(
      absl::StrCat(TypeName(object), " object has no element ", Print(runtime, key).text()));
}

// The attribute that Python's getattr would find.
absl::StatusOr<std::optional<Value>> FindAttribute(Runtime& runtime, const Value& object,
                                                   absl::string_view name) {
  if (object.Is(Kind::kEntity)) return object.Shared<Entity>()->Attribute(runtime, name);
  if (object.Is(Kind::kNamespace)) {
    const Value* value = object.As<NamespaceObject>().Find(name);
    return value == nullptr ? std::nullopt : std::optional<Value>(*value);
  }
  if (object.Is(Kind::kTuple) && object.As<SequenceObject>().group) {
    if (name == "grouper") return std::optional<Value>(object.items()[0]);
    if (name == "list") return std::optional<Value>(object.items()[1]);
  }
  if (const Builtin method = FindMethod(object.kind(), name)) {
    return std::optional<Value>(MakeFunction(name, method, object));
  }
  if (absl::StartsWith(name, "__") || IsRefusedMethod(object.kind(), name)) {
    return std::optional<Value>(Value::Undefined(absl::StrCat(
        "access to attribute '", name, "' of '", TypeName(object), "' object is unsafe.")));
  }
  return std::optional<Value>();
}

}  // namespace

absl::StatusOr<Value> GetAttribute(Runtime& runtime, const Value& object, absl::string_view name) {
  if (object.Is(Kind::kUndefined)) return UndefinedError(object);
  ASSIGN_OR_RETURN(std::optional<Value> attribute, FindAttribute(runtime, object, name));
  if (attribute.has_value()) return *std::move(attribute);
  if (object.Is(Kind::kDict)) {
    if (const Value* item = object.As<DictObject>().Find(name)) return *item;
  }
  return Missing(runtime, object, Value::Data(name));
}

absl::StatusOr<Value> GetAttributeOnly(Runtime& runtime, const Value& object,
                                       absl::string_view name) {
  if (object.Is(Kind::kUndefined)) return UndefinedError(object);
  ASSIGN_OR_RETURN(std::optional<Value> attribute, FindAttribute(runtime, object, name));
  return attribute.has_value() ? *std::move(attribute)
                               : Missing(runtime, object, Value::Data(name));
}

absl::StatusOr<AttributePath> AttributePath::Parse(const Value& attribute, const Value& fallback) {
  AttributePath path;
  path.fallback_ = fallback;
  if (attribute.is_integral()) path.steps_.push_back(attribute);
  if (!attribute.is_string()) {
    const bool none = attribute.Is(Kind::kNone) || !IsGiven(attribute);
    if (!none && path.steps_.empty()) return TypeError("attribute must be a name or a number");
    return path;
  }
  for (const absl::string_view step : absl::StrSplit(attribute.text(), '.')) {
    const bool digits = !step.empty() && step.find_first_not_of("0123456789") == step.npos;
    const std::optional<Int> index = digits ? ParseInt(step, 10) : std::nullopt;
    path.steps_.push_back(index.has_value() ? Value::Number(*index) : Value::Data(step));
  }
  return path;
}

absl::StatusOr<Value> AttributePath::Of(Runtime& runtime, const Value& item) const {
  Value value = item;
  for (const Value& step : steps_) {
    ASSIGN_OR_RETURN(value, GetItem(runtime, value, step));
    if (IsGiven(fallback_) && value.Is(Kind::kUndefined)) value = fallback_;
  }
  return value;
}

absl::StatusOr<Value> GetItem(Runtime& runtime, const Value& object, const Value& key) {
  if (object.Is(Kind::kUndefined)) return UndefinedError(object);
  if (std::optional<Value> item = FindItem(runtime, object, key)) return *std::move(item);
  if (key.is_string()) {
    ASSIGN_OR_RETURN(std::optional<Value> attribute, FindAttribute(runtime, object, key.text()));
    if (attribute.has_value()) return *std::move(attribute);
  }
  return Missing(runtime, object, key);
}

}  // namespace switchboard::text::jinja
