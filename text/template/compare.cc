#include "text/template/compare.h"

#include <string.h>

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "text/template/code_points.h"
#include "text/template/objects.h"
#include "text/template/runtime.h"

namespace switchboard::text::jinja {
namespace {

bool EqualItems(const std::vector<Value>& a, const std::vector<Value>& b, Budget* budget) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    if (!Equal(a[i], b[i], budget)) return false;
  }
  return true;
}

bool EqualDicts(const DictObject& a, const DictObject& b, Budget* budget) {
  if (a.entries().size() != b.entries().size()) return false;
  for (const auto& [key, value] : a.entries()) {
    const Value* other = b.Find(key);
    if (other == nullptr || !Equal(value, *other, budget)) return false;
  }
  return true;
}

// As the sequences they stand for.
bool EqualRanges(const RangeObject& a, const RangeObject& b) {
  return a.count == b.count && (a.count == 0 || a.start == b.start) &&
         (a.count <= 1 || a.step == b.step);
}

// Ints as they are; with a float in it through 80 bits, which hold all 64-bit ints exactly.
int CompareNumbers(const Value& a, const Value& b) {
  if (a.is_integral() && b.is_integral()) {
    return a.integer() < b.integer() ? -1 : a.integer() > b.integer() ? 1 : 0;
  }
  const auto wide = [](const Value& v) {
    return v.is_integral() ? static_cast<long double>(v.integer())
                           : static_cast<long double>(v.real());
  };
  return wide(a) < wide(b) ? -1 : wide(a) > wide(b) ? 1 : wide(a) == wide(b) ? 0 : 2;
}

bool BothSequences(const Value& a, const Value& b) {
  return a.kind() == b.kind() && (a.Is(Kind::kList) || a.Is(Kind::kTuple));
}

absl::StatusOr<bool> LessItems(const std::vector<Value>& a, const std::vector<Value>& b,
                               Budget* budget) {
  for (size_t i = 0; i < a.size() && i < b.size(); ++i) {
    if (!Equal(a[i], b[i], budget)) return Less(a[i], b[i], budget);
  }
  return a.size() < b.size();
}

std::vector<Value> Characters(const Value& text, Budget* budget) {
  std::vector<Value> characters;
  for (CodePoints c(text.text()); !c.done() && budget->Spend(1); c.Next()) {
    characters.push_back(Value::String(text.marked().Slice(c.begin(), c.end()), budget));
  }
  return characters;
}

std::vector<Value> ViewItems(const DictViewObject& view, Budget* budget) {
  std::vector<Value> items;
  for (const auto& [key, value] : view.dict.As<DictObject>().entries()) {
    if (!budget->Spend(1)) break;
    items.push_back(view.part == DictViewObject::kKeys     ? key
                    : view.part == DictViewObject::kValues ? value
                                                           : Value::Tuple({key, value}, budget));
  }
  return items;
}

}  // namespace

bool IsTrue(const Value& value) {
  switch (value.kind()) {
    case Kind::kUndefined:
    case Kind::kNone:
      return false;
    case Kind::kBool:
    case Kind::kInt:
      return value.integer() != 0;
    case Kind::kFloat:
      return value.real() != 0;
    case Kind::kString:
    case Kind::kBytes:
      return !value.text().empty();
    case Kind::kList:
    case Kind::kTuple:
      return !value.items().empty();
    case Kind::kDict:
      return !value.As<DictObject>().entries().empty();
    case Kind::kDictView:
      return IsTrue(value.As<DictViewObject>().dict);
    case Kind::kRange:
      return value.As<RangeObject>().count > 0;
    case Kind::kIterator:
    case Kind::kNamespace:
    case Kind::kEntity:
      return true;
  }
  return true;
}

bool Equal(const Value& a, const Value& b, Budget* budget) {
  if (!budget->Spend(1)) return false;
  if (a.is_number() && b.is_number()) return CompareNumbers(a, b) == 0;
  if (a.kind() != b.kind()) return false;
  switch (a.kind()) {
    case Kind::kUndefined:
    case Kind::kNone:
      return true;
    case Kind::kString:
    case Kind::kBytes:
      budget->SpendOnBytes(std::min(a.text().size(), b.text().size()));
      return a.text() == b.text();
    case Kind::kList:
    case Kind::kTuple:
      return EqualItems(a.items(), b.items(), budget);
    case Kind::kDict:
      return EqualDicts(a.As<DictObject>(), b.As<DictObject>(), budget);
    case Kind::kRange:
      return EqualRanges(a.As<RangeObject>(), b.As<RangeObject>());
    default:
      return a.SameAs(b);
  }
}

absl::StatusOr<bool> Less(const Value& a, const Value& b, Budget* budget) {
  budget->Spend(1);
  if (a.is_number() && b.is_number()) return CompareNumbers(a, b) == -1;
  if (a.is_string() && b.is_string()) {
    budget->SpendOnBytes(std::min(a.text().size(), b.text().size()));
    return a.text() < b.text();  // the order of UTF-8 bytes is that of the code points
  }
  if (BothSequences(a, b)) return LessItems(a.items(), b.items(), budget);
  if (a.Is(Kind::kUndefined)) return UndefinedError(a);
  if (b.Is(Kind::kUndefined)) return UndefinedError(b);
  return TypeError(absl::StrCat("'<' not supported between instances of '", TypeName(a), "' and '",
                                TypeName(b), "'"));
}

absl::StatusOr<bool> Compare(absl::string_view op, const Value& a, const Value& b, Budget* budget) {
  if (op == "==") return Equal(a, b, budget);
  if (op == "!=") return !Equal(a, b, budget);
  if (op == "in") return Contains(b, a, budget);
  if (op == "not in") {
    ASSIGN_OR_RETURN(const bool contained, Contains(b, a, budget));
    return !contained;
  }
  if (op == "<") return Less(a, b, budget);
  if (op == ">") return Less(b, a, budget);
  // With NaN neither holds, so <= is no negation of >.
  ASSIGN_OR_RETURN(const bool less, op == "<=" ? Less(a, b, budget) : Less(b, a, budget));
  return less || Equal(a, b, budget);
}

absl::StatusOr<bool> Contains(const Value& container, const Value& item, Budget* budget) {
  if (container.is_string()) {
    if (!item.is_string()) {
      return TypeError(
          absl::StrCat("'in <string>' requires string as left operand, not ", TypeName(item)));
    }
    return FindText(container.text(), item.text(), 0, budget) != absl::string_view::npos;
  }
  const bool keys =
      container.Is(Kind::kDictView) && container.As<DictViewObject>().part == DictViewObject::kKeys;
  if (container.Is(Kind::kDict) || keys) {
    const Value& dict = keys ? container.As<DictViewObject>().dict : container;
    if (item.Is(Kind::kList) || item.Is(Kind::kDict)) {
      return TypeError(absl::StrCat("unhashable type: '", TypeName(item), "'"));
    }
    if (item.is_string()) budget->SpendOnBytes(item.text().size());
    return dict.As<DictObject>().Find(item) != nullptr;
  }
  if (!IsIterable(container)) {
    return TypeError(absl::StrCat("argument of type '", TypeName(container), "' is not iterable"));
  }
  ASSIGN_OR_RETURN(const std::vector<Value> items, Iterate(container, budget));
  return std::any_of(items.begin(), items.end(),
                     [&](const Value& here) { return Equal(here, item, budget); });
}

bool IsIterable(const Value& value) {
  switch (value.kind()) {
    case Kind::kUndefined:
    case Kind::kString:
    case Kind::kList:
    case Kind::kTuple:
    case Kind::kDict:
    case Kind::kDictView:
    case Kind::kRange:
    case Kind::kIterator:
      return true;
    default:
      return false;
  }
}

absl::StatusOr<std::vector<Value>> Iterate(const Value& value, Budget* budget) {
  switch (value.kind()) {
    case Kind::kUndefined:
      return std::vector<Value>();
    case Kind::kString:
      return Characters(value, budget);
    case Kind::kList:
    case Kind::kTuple:
      budget->Spend(value.items().size());
      return value.items();
    case Kind::kDict:
      budget->Spend(value.As<DictObject>().entries().size());
      return value.As<DictObject>().Keys();
    case Kind::kDictView:
      return ViewItems(value.As<DictViewObject>(), budget);
    case Kind::kRange: {
      const RangeObject& range = value.As<RangeObject>();
      std::vector<Value> numbers;
      for (int64_t i = 0; i < range.count && budget->Spend(1); ++i) numbers.push_back(range.At(i));
      return numbers;
    }
    case Kind::kIterator:
      return value.Shared<IteratorObject>()->Take();
    default:
      return TypeError(absl::StrCat("'", TypeName(value), "' object is not iterable"));
  }
}

absl::StatusOr<size_t> Length(const Value& value) {
  switch (value.kind()) {
    case Kind::kUndefined:
      return 0;
    case Kind::kString:
      return value.As<StringObject>().code_points;
    case Kind::kBytes:
      return value.text().size();
    case Kind::kList:
    case Kind::kTuple:
      return value.items().size();
    case Kind::kDict:
      return value.As<DictObject>().entries().size();
    case Kind::kDictView:
      return Length(value.As<DictViewObject>().dict);
    case Kind::kRange:
      return static_cast<size_t>(value.As<RangeObject>().count);
    default:
      return TypeError(absl::StrCat("object of type '", TypeName(value), "' has no len()"));
  }
}

size_t FindText(absl::string_view text, absl::string_view needle, size_t from, Budget* budget) {
  if (from > text.size()) return absl::string_view::npos;
  if (needle.empty()) return from;
  const char* start = text.data() + from;
  const void* found = memmem(start, text.size() - from, needle.data(), needle.size());
  const size_t walked = found == nullptr
                            ? text.size() - from
                            : static_cast<size_t>(static_cast<const char*>(found) - start);
  budget->SpendOnBytes(walked);
  return found == nullptr ? absl::string_view::npos : from + walked;
}

}  // namespace switchboard::text::jinja
