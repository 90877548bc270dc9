// What values point to: strings, containers, and the entities that can be called.
#ifndef SWITCHBOARD_TEXT_TEMPLATE_OBJECTS_H_
#define SWITCHBOARD_TEXT_TEMPLATE_OBJECTS_H_

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "text/template/budget.h"
#include "text/template/value.h"

namespace switchboard::text::jinja {

// Holds `bytes` against `budget`, unless that is null, as long as it lives.
class Object {
 public:
  Object(Budget* budget, size_t bytes, int depth);
  virtual ~Object();
  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;

  int depth() const { return depth_; }

 protected:
  // 1 + the deepest of `items`.
  static int DepthOver(const std::vector<Value>& items);

 private:
  Budget* const budget_;
  const size_t bytes_;
  const int depth_;
};

struct StringObject final : Object {
  StringObject(MarkedText text, bool markup, Budget* budget);
  const MarkedText text;
  const size_t code_points;  // Python's len()
  const bool markup;         // counts as escaped HTML
};

struct SequenceObject final : Object {
  // `group` marks the pairs of groupby, which have the attributes grouper and list.
  SequenceObject(std::vector<Value> items, bool group, Budget* budget);
  const std::vector<Value> items;
  const bool group;
};

class DictObject final : public Object {
 public:
  using Entry = std::pair<Value, Value>;
  DictObject(std::vector<Entry> entries, Budget* budget);
  const std::vector<Entry>& entries() const { return entries_; }
  // The value of `key`, or nullptr; also nullptr for a key that is not hashable.
  const Value* Find(const Value& key) const;
  const Value* Find(absl::string_view key) const;
  std::vector<Value> Keys() const;

 private:
  static int DepthOver(const std::vector<Entry>& entries);

  std::vector<Entry> entries_;
  absl::flat_hash_map<std::string, size_t> places_;  // only of dicts with many entries
};

// Appends what two keys share exactly if they are the same key to a dict (1, 1.0 and true are).
// False for what cannot be a key: lists, dicts, tuples within tuples.
bool AppendKey(const Value& value, std::string* out);

struct DictViewObject final : Object {
  enum Part { kItems, kKeys, kValues };
  DictViewObject(Value dict, Part part, Budget* budget);
  const Value dict;
  const Part part;
};

struct RangeObject final : Object {
  // `stop` is only printed.
  RangeObject(int64_t first, int64_t stop_at, int64_t stride, int64_t length)
      : Object(nullptr, 0, 1), start(first), stop(stop_at), step(stride), count(length) {}
  Value At(int64_t i) const { return Value::Number(Int(start + i * step)); }
  const int64_t start, stop, step, count;
};

struct IteratorObject final : Object {
  IteratorObject(std::vector<Value> items, Budget* budget);
  // What is left; nothing is left afterwards.
  std::vector<Value> Take();
  std::vector<Value> items;
  size_t next = 0;
};

// Mutable: may come to contain itself, so the runtime empties each one when the rendering ends.
struct NamespaceObject final : Object {
  explicit NamespaceObject(Budget* budget) : Object(budget, sizeof(NamespaceObject), 1) {}
  // The value of an attribute, or nullptr.
  const Value* Find(absl::string_view name) const;
  absl::flat_hash_map<std::string, Value> attributes;
};

}  // namespace switchboard::text::jinja

#endif  // SWITCHBOARD_TEXT_TEMPLATE_OBJECTS_H_
