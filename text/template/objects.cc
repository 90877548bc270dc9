#include "text/template/objects.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "text/template/code_points.h"
#include "text/template/numbers.h"

namespace switchboard::text::jinja {
namespace {

// Dicts up to this size are searched entry by entry.
constexpr size_t kFewEntries = 8;

bool AppendScalarKey(const Value& value, std::string* out) {
  switch (value.kind()) {
    case Kind::kUndefined:
      out->append("undefined");
      return true;
    case Kind::kNone:
      out->append("none");
      return true;
    case Kind::kBool:
    case Kind::kInt:
      absl::StrAppend(out, "int ", IntToString(value.integer()));
      return true;
    case Kind::kFloat: {
      const double real = value.real();
      const bool whole = std::floor(real) == real && std::abs(real) < kMaxWholeDouble;
      absl::StrAppend(out, whole ? "int " : "float ",
                      whole ? IntToString(Int(real)) : FloatToString(real));
      return true;
    }
    case Kind::kString:
      absl::StrAppend(out, "str ", value.text());
      return true;
    default:
      return false;
  }
}

}  // namespace

Object::Object(Budget* budget, size_t bytes, int depth)
    : budget_(budget), bytes_(bytes), depth_(depth) {
  if (budget_ == nullptr) return;
  budget_->Hold(bytes_);
  if (depth_ > kMaxValueDepth) budget_->Fail("a value is nested too deeply");
}

Object::~Object() {
  if (budget_ != nullptr) budget_->Release(bytes_);
}

int Object::DepthOver(const std::vector<Value>& items) {
  int depth = 0;
  for (const Value& item : items) depth = std::max(depth, item.depth());
  return depth + 1;
}

StringObject::StringObject(MarkedText t, bool is_markup, Budget* budget)
    : Object(budget, sizeof(StringObject) + t.size() + t.literal().size() * sizeof(ByteRange), 1),
      text(std::move(t)),
      code_points(CountCodePoints(text.text())),
      markup(is_markup) {}

SequenceObject::SequenceObject(std::vector<Value> list, bool is_group, Budget* budget)
    : Object(budget, sizeof(SequenceObject) + list.size() * sizeof(Value), DepthOver(list)),
      items(std::move(list)),
      group(is_group) {}

DictObject::DictObject(std::vector<Entry> entries, Budget* budget)
    : Object(budget, sizeof(DictObject) + entries.size() * 2 * sizeof(Entry), DepthOver(entries)) {
  entries_.reserve(entries.size());
  for (Entry& entry : entries) {
    std::string key;
    AppendKey(entry.first, &key);
    const auto [place, added] = places_.try_emplace(std::move(key), entries_.size());
    if (added) {
      entries_.push_back(std::move(entry));
    } else {
      entries_[place->second].second = std::move(entry.second);
    }
  }
  if (entries_.size() <= kFewEntries) places_.clear();
}

int DictObject::DepthOver(const std::vector<Entry>& entries) {
  int depth = 0;
  for (const auto& [key, value] : entries) depth = std::max({depth, key.depth(), value.depth()});
  return depth + 1;
}

const Value* DictObject::Find(absl::string_view key) const {
  if (!places_.empty()) {
    const auto place = places_.find(absl::StrCat("str ", key));
    return place == places_.end() ? nullptr : &entries_[place->second].second;
  }
  for (const auto& [name, value] : entries_) {
    if (name.is_string() && name.text() == key) return &value;
  }
  return nullptr;
}

const Value* DictObject::Find(const Value& key) const {
  if (key.is_string()) return Find(key.text());
  std::string wanted;
  if (!AppendKey(key, &wanted)) return nullptr;
  if (!places_.empty()) {
    const auto place = places_.find(wanted);
    return place == places_.end() ? nullptr : &entries_[place->second].second;
  }
  for (const auto& [name, value] : entries_) {
    std::string here;
    if (AppendKey(name, &here) && here == wanted) return &value;
  }
  return nullptr;
}

std::vector<Value> DictObject::Keys() const {
  std::vector<Value> keys;
  keys.reserve(entries_.size());
  for (const auto& [key, value] : entries_) keys.push_back(key);
  return keys;
}

bool AppendKey(const Value& value, std::string* out) {
  if (!value.Is(Kind::kTuple)) return AppendScalarKey(value, out);
  out->append("tuple");
  for (const Value& item : value.items()) {
    std::string key;
    if (!AppendScalarKey(item, &key)) return false;
    absl::StrAppend(out, " ", key.size(), ":", key);
  }
  return true;
}

DictViewObject::DictViewObject(Value d, Part p, Budget* budget)
    : Object(budget, sizeof(DictViewObject), d.depth() + 1), dict(std::move(d)), part(p) {}

IteratorObject::IteratorObject(std::vector<Value> list, Budget* budget)
    : Object(budget, sizeof(IteratorObject) + list.size() * sizeof(Value), DepthOver(list)),
      items(std::move(list)) {}

std::vector<Value> IteratorObject::Take() {
  std::vector<Value> rest(items.begin() + static_cast<ptrdiff_t>(next), items.end());
  next = items.size();
  return rest;
}

const Value* NamespaceObject::Find(absl::string_view name) const {
  const auto attribute = attributes.find(name);
  return attribute == attributes.end() ? nullptr : &attribute->second;
}

}  // namespace switchboard::text::jinja
