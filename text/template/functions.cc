// The functions every template can call.
#include <memory>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "text/template/builtins.h"
#include "text/template/compare.h"
#include "text/template/operators.h"
#include "text/template/print.h"
#include "text/template/strftime.h"

namespace switchboard::text::jinja {
namespace {

using Result = absl::StatusOr<Value>;

constexpr int64_t kMaxRange = 100'000;  // jinja's sandbox

Result Range(Runtime& runtime, const Value&, const Arguments& call) {
  const std::vector<Value>& args = call.positional;
  if (args.empty() || args.size() > 3 || !call.keyword.empty()) {
    return TypeError("range takes 1 to 3 arguments");
  }
  int64_t bounds[3] = {0, 0, 1};
  for (size_t i = 0; i < args.size(); ++i) {
    const size_t place = args.size() == 1 ? 1 : i;
    ASSIGN_OR_RETURN(bounds[place], ToIndex(args[i], "a bound of range"));
  }
  const auto [start, stop, step] = bounds;
  if (step == 0) return absl::InvalidArgumentError("range() arg 3 must not be zero");
  const int64_t distance = step > 0 ? stop - start : start - stop;
  const int64_t stride = step > 0 ? step : -step;
  const int64_t count = distance <= 0 ? 0 : (distance - 1) / stride + 1;
  if (count > kMaxRange) {
    return absl::InvalidArgumentError(
        absl::StrCat("Range too big: ", count, " items, at most ", kMaxRange));
  }
  return Value::FromObject(Kind::kRange, std::make_shared<RangeObject>(start, stop, step, count));
}

// The entries of dict(mapping or pairs, **keywords).
absl::StatusOr<std::vector<DictObject::Entry>> DictEntries(Runtime& runtime,
                                                           const Arguments& call) {
  if (call.positional.size() > 1) return TypeError("dict expected at most 1 argument");
  if (!call.positional.empty() && call.positional[0].Is(Kind::kUndefined)) {
    return UndefinedError(call.positional[0]);
  }
  std::vector<DictObject::Entry> entries;
  if (!call.positional.empty() && call.positional[0].Is(Kind::kDict)) {
    entries = call.positional[0].As<DictObject>().entries();
  } else if (!call.positional.empty()) {
    ASSIGN_OR_RETURN(const std::vector<Value> pairs, Iterate(call.positional[0], runtime.budget()));
    for (const Value& pair : pairs) {
      ASSIGN_OR_RETURN(const std::vector<Value> parts, Iterate(pair, runtime.budget()));
      std::string key;
      if (parts.size() != 2) return TypeError("dict wants pairs");
      if (!AppendKey(parts[0], &key)) {
        return TypeError(absl::StrCat("unhashable type: '", TypeName(parts[0]), "'"));
      }
      entries.emplace_back(parts[0], parts[1]);
    }
  }
  for (const auto& [name, value] : call.keyword) entries.emplace_back(Value::Literal(name), value);
  runtime.budget()->Spend(entries.size());
  return entries;
}

Result Dict(Runtime& runtime, const Value&, const Arguments& call) {
  ASSIGN_OR_RETURN(std::vector<DictObject::Entry> entries, DictEntries(runtime, call));
  return Value::Dict(std::move(entries), runtime.budget());
}

Result Namespace(Runtime& runtime, const Value&, const Arguments& call) {
  ASSIGN_OR_RETURN(const std::vector<DictObject::Entry> entries, DictEntries(runtime, call));
  std::vector<std::pair<std::string, Value>> attributes;
  for (const auto& [key, value] : entries) {
    attributes.emplace_back(Print(runtime, key).text(), value);
  }
  return runtime.Namespace(std::move(attributes));
}

// cycler('odd', 'even'): next() gives one after the other.
class Cycler final : public Entity, public std::enable_shared_from_this<Cycler> {
 public:
  explicit Cycler(Value items) : Entity(nullptr, 0, items.depth() + 1), items_(std::move(items)) {}
  std::string TypeName() const override { return "Cycler"; }
  bool callable() const override { return false; }
  absl::StatusOr<std::optional<Value>> Attribute(Runtime& runtime, absl::string_view name) override;

 private:
  // The methods get the cycler as their subject.
  static Result Next(Runtime& runtime, const Value& self, const Arguments& call) {
    RETURN_IF_ERROR(Bind(call, {}).status());
    Cycler& cycler = *self.Shared<Cycler>();
    const std::vector<Value>& items = cycler.items_.items();
    const Value item = items[cycler.at_];
    cycler.at_ = (cycler.at_ + 1) % items.size();
    return item;
  }
  static Result Reset(Runtime& runtime, const Value& self, const Arguments& call) {
    RETURN_IF_ERROR(Bind(call, {}).status());
    self.Shared<Cycler>()->at_ = 0;
    return Value::None();
  }

  const Value items_;
  size_t at_ = 0;
};

absl::StatusOr<std::optional<Value>> Cycler::Attribute(Runtime&, absl::string_view name) {
  const Value subject = Value::FromObject(Kind::kEntity, shared_from_this());
  if (name == "next") return std::optional<Value>(MakeFunction(name, Next, subject));
  if (name == "reset") return std::optional<Value>(MakeFunction(name, Reset, subject));
  if (name == "current") return std::optional<Value>(items_.items()[at_]);
  return std::optional<Value>();
}

Result MakeCycler(Runtime& runtime, const Value&, const Arguments& call) {
  if (!call.keyword.empty()) return TypeError("cycler takes no keyword arguments");
  if (call.positional.empty())
    return absl::InvalidArgumentError("at least one item has to be provided");
  return Value::FromObject(Kind::kEntity, std::make_shared<Cycler>(runtime.List(call.positional)));
}

// joiner(', '): nothing at the first call, the separator afterwards.
class Joiner final : public Entity {
 public:
  Joiner(Value separator, Budget* budget)
      : Entity(budget, sizeof(Joiner), separator.depth() + 1), separator_(std::move(separator)) {}
  std::string TypeName() const override { return "Joiner"; }
  Result Call(Runtime& runtime, const Arguments& call) override {
    RETURN_IF_ERROR(Bind(call, {}).status());
    if (std::exchange(used_, true)) return separator_;
    return Value::Literal("");
  }

 private:
  const Value separator_;
  bool used_ = false;
};

Result MakeJoiner(Runtime& runtime, const Value&, const Arguments& call) {
  ASSIGN_OR_RETURN(const std::vector<Value> args, Bind(call, {"sep"}));
  const Value separator = IsGiven(args[0]) ? args[0] : Value::Literal(", ");
  return Value::FromObject(Kind::kEntity, std::make_shared<Joiner>(separator, runtime.budget()));
}

Result Lipsum(Runtime&, const Value&, const Arguments&) {
  return absl::InvalidArgumentError("lipsum() is not available: a prompt has no use for filler");
}

Result RaiseException(Runtime& runtime, const Value&, const Arguments& call) {
  ASSIGN_OR_RETURN(const std::vector<Value> args, Bind(call, {"message"}));
  runtime.raised = true;
  return absl::InvalidArgumentError(Print(runtime, args[0]).text());
}

Result StrftimeNow(Runtime& runtime, const Value&, const Arguments& call) {
  ASSIGN_OR_RETURN(const std::vector<Value> args, Bind(call, {"format"}));
  if (!args[0].is_string()) return TypeError("strftime_now wants a string");
  runtime.budget()->Spend(args[0].text().size());
  return runtime.Data(FormatTime(args[0].text(), runtime.clock().Now()));
}

constexpr NamedBuiltin kFunctions[] = {
    {"cycler", MakeCycler},   {"dict", Dict},
    {"joiner", MakeJoiner},   {"lipsum", Lipsum},
    {"namespace", Namespace}, {"raise_exception", RaiseException},
    {"range", Range},         {"strftime_now", StrftimeNow},
};

}  // namespace

Builtin FindFunction(absl::string_view name) {
  for (const NamedBuiltin& entry : kFunctions) {
    if (entry.name == name) return entry.builtin;
  }
  return nullptr;
}

}  // namespace switchboard::text::jinja
