#include "text/template/value.h"

#include "base/check.h"
#include "text/template/objects.h"

namespace switchboard::text::jinja {

Value Value::FromObject(Kind kind, std::shared_ptr<Object> object) {
  Value value(kind);
  value.object_ = std::move(object);
  return value;
}

Value Value::Undefined(absl::string_view why) {
  return FromObject(Kind::kUndefined,
                    std::make_shared<StringObject>(MarkedText::Data(why), false, nullptr));
}

const Value& Value::NotGiven() {
  static const Value* const kNotGiven = new Value(Undefined("a missing argument is undefined"));
  return *kNotGiven;
}

Value Value::Bool(bool b) {
  Value value(Kind::kBool);
  value.number_ = b ? 1 : 0;
  return value;
}

Value Value::Number(Int number) {
  Value value(Kind::kInt);
  value.number_ = number;
  return value;
}

Value Value::Number(double number) {
  Value value(Kind::kFloat);
  value.real_ = number;
  return value;
}

Value Value::String(MarkedText text, Budget* budget) {
  return FromObject(Kind::kString, std::make_shared<StringObject>(std::move(text), false, budget));
}

Value Value::Markup(MarkedText text, Budget* budget) {
  return FromObject(Kind::kString, std::make_shared<StringObject>(std::move(text), true, budget));
}

Value Value::Bytes(absl::string_view bytes, Budget* budget) {
  return FromObject(Kind::kBytes,
                    std::make_shared<StringObject>(MarkedText::Data(bytes), false, budget));
}

Value Value::List(std::vector<Value> items, Budget* budget) {
  return FromObject(Kind::kList, std::make_shared<SequenceObject>(std::move(items), false, budget));
}

Value Value::Tuple(std::vector<Value> items, Budget* budget) {
  return FromObject(Kind::kTuple,
                    std::make_shared<SequenceObject>(std::move(items), false, budget));
}

Value Value::Dict(std::vector<std::pair<Value, Value>> entries, Budget* budget) {
  return FromObject(Kind::kDict, std::make_shared<DictObject>(std::move(entries), budget));
}

// Recursion is bounded by the depth that the JSON reader allowed.
Value Value::FromJson(const Json& json) {
  if (const JsonObject* object = json.if_object()) {
    std::vector<std::pair<Value, Value>> entries;
    entries.reserve(object->size());
    for (const auto& [key, member] : *object) {
      entries.emplace_back(Data(ToAbsl(key)), FromJson(member));
    }
    return Dict(std::move(entries));
  }
  if (const JsonArray* array = json.if_array()) {
    std::vector<Value> items;
    items.reserve(array->size());
    for (const Json& item : *array) items.push_back(FromJson(item));
    return List(std::move(items));
  }
  if (json.is_string()) return Data(ToAbsl(json.get_string()));
  if (json.is_bool()) return Bool(json.get_bool());
  if (json.is_int64()) return Number(Int(json.get_int64()));
  if (json.is_uint64()) return Number(Int(json.get_uint64()));
  if (json.is_double()) return Number(json.get_double());
  return None();
}

double Value::real() const { return kind_ == Kind::kFloat ? real_ : static_cast<double>(number_); }

const MarkedText& Value::marked() const { return As<StringObject>().text; }

const std::vector<Value>& Value::items() const { return As<SequenceObject>().items; }

absl::string_view Value::why_undefined() const {
  return object_ == nullptr ? "a value is undefined" : absl::string_view(marked().text());
}

bool Value::SameAs(const Value& other) const {
  return kind_ == other.kind_ && object_ == other.object_ && number_ == other.number_ &&
         real_ == other.real_;
}

int Value::depth() const { return object_ == nullptr ? 0 : object_->depth(); }

}  // namespace switchboard::text::jinja
