// map, select, reject and their attribute forms: filters that call filters and tests.
#include "absl/strings/str_cat.h"
#include "text/template/attributes.h"
#include "text/template/builtins.h"
#include "text/template/compare.h"

namespace switchboard::text::jinja {
namespace {

using Result = absl::StatusOr<Value>;

// The name of a filter or test, which is the positional argument `at`.
absl::StatusOr<std::string> ReadName(const Arguments& call, size_t at) {
  if (call.positional.size() <= at || !call.positional[at].is_string()) {
    return TypeError("the name of a filter or test is missing");
  }
  return call.positional[at].text();
}

// The arguments behind the first `skip` positional ones.
Arguments Rest(const Arguments& call, size_t skip) {
  Arguments rest = call;
  rest.positional.erase(rest.positional.begin(),
                        rest.positional.begin() + static_cast<ptrdiff_t>(skip));
  return rest;
}

Result MapAttribute(Runtime& runtime, const Value& value, const Arguments& call) {
  ASSIGN_OR_RETURN(const std::vector<Value> args, Bind(call, {"attribute", "default"}));
  const Value fallback = args[1].Is(Kind::kNone) ? Value::NotGiven() : args[1];
  ASSIGN_OR_RETURN(const AttributePath attribute, AttributePath::Parse(args[0], fallback));
  ASSIGN_OR_RETURN(std::vector<Value> items, Iterate(value, runtime.budget()));
  for (Value& item : items) {
    if (!runtime.budget()->Spend(1)) break;
    ASSIGN_OR_RETURN(item, attribute.Of(runtime, item));
  }
  return runtime.Iterator(std::move(items));
}

// Nothing comes out of what is not true, so that `none | map(...)` is no error.
Result Map(Runtime& runtime, const Value& value, const Arguments& call) {
  if (!IsTrue(value)) return runtime.Iterator({});
  const bool attribute = call.positional.empty() && !call.keyword.empty();
  if (attribute) return MapAttribute(runtime, value, call);
  ASSIGN_OR_RETURN(const std::string name, ReadName(call, 0));
  const Builtin filter = FindFilter(name);
  if (filter == nullptr) return TypeError(absl::StrCat("No filter named '", name, "'."));
  const Arguments arguments = Rest(call, 1);
  ASSIGN_OR_RETURN(std::vector<Value> items, Iterate(value, runtime.budget()));
  for (Value& item : items) {
    if (!runtime.budget()->Spend(1)) break;
    ASSIGN_OR_RETURN(item, filter(runtime, item, arguments));
  }
  return runtime.Iterator(std::move(items));
}

template <bool keep_true, bool by_attribute>
Result Select(Runtime& runtime, const Value& value, const Arguments& call) {
  if (!IsTrue(value)) return runtime.Iterator({});
  const size_t name_at = by_attribute ? 1 : 0;
  if (call.positional.size() < name_at) return TypeError("Missing parameter for attribute name");
  ASSIGN_OR_RETURN(const AttributePath attribute,
                   AttributePath::Parse(by_attribute ? call.positional[0] : Value::NotGiven()));
  Builtin test = nullptr;
  Arguments arguments;
  if (call.positional.size() > name_at) {
    ASSIGN_OR_RETURN(const std::string name, ReadName(call, name_at));
    test = FindTest(name);
    if (test == nullptr) return TypeError(absl::StrCat("No test named '", name, "'."));
    arguments = Rest(call, name_at + 1);
  }
  ASSIGN_OR_RETURN(const std::vector<Value> items, Iterate(value, runtime.budget()));
  std::vector<Value> kept;
  for (const Value& item : items) {
    if (!runtime.budget()->Spend(1)) break;
    ASSIGN_OR_RETURN(Value result, attribute.Of(runtime, item));
    if (test != nullptr) {
      ASSIGN_OR_RETURN(result, test(runtime, result, arguments));
    }
    if (IsTrue(result) == keep_true) kept.push_back(item);
  }
  return runtime.Iterator(std::move(kept));
}

constexpr NamedBuiltin kFilters[] = {
    {"map", Map},
    {"reject", Select<false, false>},
    {"rejectattr", Select<false, true>},
    {"select", Select<true, false>},
    {"selectattr", Select<true, true>},
};

}  // namespace

absl::Span<const NamedBuiltin> SelectionFilters() { return kFilters; }

}  // namespace switchboard::text::jinja
