// The methods of lists, tuples, dicts and bytes, as far as they change nothing.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "base/utf8.h"
#include "text/template/builtins.h"
#include "text/template/compare.h"
#include "text/template/operators.h"

namespace switchboard::text::jinja {
namespace {

using Result = absl::StatusOr<Value>;

Result Index(Runtime& runtime, const Value& self, const Arguments& call) {
  ASSIGN_OR_RETURN(const std::vector<Value> args, Bind(call, {"value", "start"}));
  ASSIGN_OR_RETURN(int64_t start, IndexOr(args[1], 0, "start"));
  const int64_t size = static_cast<int64_t>(self.items().size());
  if (start < 0) start = std::max<int64_t>(start + size, 0);
  for (int64_t i = start; i < size; ++i) {
    if (Equal(self.items()[static_cast<size_t>(i)], args[0], runtime.budget())) {
      return Value::Number(Int(i));
    }
  }
  return absl::InvalidArgumentError("the value is not in the list");
}

Result Count(Runtime& runtime, const Value& self, const Arguments& call) {
  ASSIGN_OR_RETURN(const std::vector<Value> args, Bind(call, {"value"}));
  Int count = 0;
  for (const Value& item : self.items()) {
    if (Equal(item, args[0], runtime.budget())) ++count;
  }
  return Value::Number(count);
}

// A copy of what never changes is itself.
Result Copy(Runtime& runtime, const Value& self, const Arguments& call) {
  RETURN_IF_ERROR(Bind(call, {}).status());
  return self;
}

Result Get(Runtime& runtime, const Value& self, const Arguments& call) {
  ASSIGN_OR_RETURN(const std::vector<Value> args, Bind(call, {"key", "default"}));
  std::string key;
  if (!AppendKey(args[0], &key)) {
    return TypeError(absl::StrCat("unhashable type: '", TypeName(args[0]), "'"));
  }
  runtime.budget()->SpendOnBytes(key.size());
  if (const Value* value = self.As<DictObject>().Find(args[0])) return *value;
  return IsGiven(args[1]) ? args[1] : Value::None();
}

template <DictViewObject::Part part>
Result View(Runtime& runtime, const Value& self, const Arguments& call) {
  RETURN_IF_ERROR(Bind(call, {}).status());
  return Value::FromObject(Kind::kDictView,
                           std::make_shared<DictViewObject>(self, part, runtime.budget()));
}

Result Decode(Runtime& runtime, const Value& self, const Arguments& call) {
  RETURN_IF_ERROR(Bind(call, {"encoding", "errors"}).status());
  runtime.budget()->SpendOnCharacters(self.text().size());
  if (!IsValidUtf8(self.text())) return absl::InvalidArgumentError("the bytes are no UTF-8");
  return runtime.Data(self.text());
}

constexpr NamedBuiltin kSequenceMethods[] = {{"count", Count}, {"index", Index}};
constexpr NamedBuiltin kDictMethods[] = {
    {"copy", Copy},
    {"get", Get},
    {"items", View<DictViewObject::kItems>},
    {"keys", View<DictViewObject::kKeys>},
    {"values", View<DictViewObject::kValues>},
};
constexpr absl::string_view kRefusedOfLists[] = {"append", "clear",  "extend",  "insert",
                                                 "pop",    "remove", "reverse", "sort"};
constexpr absl::string_view kRefusedOfDicts[] = {"clear", "pop", "popitem", "setdefault", "update"};

Builtin FindIn(absl::Span<const NamedBuiltin> table, absl::string_view name) {
  for (const NamedBuiltin& entry : table) {
    if (entry.name == name) return entry.builtin;
  }
  return nullptr;
}

bool IsIn(absl::Span<const absl::string_view> names, absl::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

Builtin FindMethod(Kind kind, absl::string_view name) {
  switch (kind) {
    case Kind::kString: {
      const Builtin method = FindIn(StringMethods(), name);
      return method != nullptr ? method : FindIn(SearchMethods(), name);
    }
    case Kind::kBytes:
      return name == "decode" ? Decode : nullptr;
    case Kind::kList:
      return name == "copy" ? Copy : FindIn(kSequenceMethods, name);
    case Kind::kTuple:
      return FindIn(kSequenceMethods, name);
    case Kind::kDict:
      return FindIn(kDictMethods, name);
    default:
      return nullptr;
  }
}

bool IsRefusedMethod(Kind kind, absl::string_view name) {
  return (kind == Kind::kList && IsIn(kRefusedOfLists, name)) ||
         (kind == Kind::kDict && IsIn(kRefusedOfDicts, name));
}

}  // namespace switchboard::text::jinja
