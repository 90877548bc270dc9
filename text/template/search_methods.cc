// The methods of str that look: find, count, startswith, isdigit ...
#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "text/template/builtins.h"
#include "text/template/code_points.h"
#include "text/template/compare.h"
#include "text/template/operators.h"

namespace switchboard::text::jinja {
namespace {

using Result = absl::StatusOr<Value>;

// The part of a string that start and end arguments select, as bytes.
struct Window {
  absl::string_view text;
  size_t first_code_point = 0;
  bool empty = false;  // start lies beyond the end, so that not even "" is found
};

absl::StatusOr<Window> SelectWindow(const Value& self, const Value& start, const Value& end) {
  const int64_t length = static_cast<int64_t>(self.As<StringObject>().code_points);
  ASSIGN_OR_RETURN(int64_t from, IndexOr(start, 0, "start"));
  ASSIGN_OR_RETURN(int64_t to, IndexOr(end, length, "end"));
  if (from < 0) from = std::max<int64_t>(from + length, 0);
  if (to < 0) to = std::max<int64_t>(to + length, 0);
  to = std::min(to, length);
  if (from > to) return Window{"", 0, true};
  const absl::string_view text = self.text();
  const size_t begin = ByteOfCodePoint(text, static_cast<size_t>(from));
  const size_t size = ByteOfCodePoint(text.substr(begin), static_cast<size_t>(to - from));
  return Window{text.substr(begin, size), static_cast<size_t>(from), false};
}

// The arguments of a search: what for, and where.
struct Search {
  Value what;
  Window window;
};

absl::StatusOr<Search> ReadSearch(Runtime& runtime, const Value& self, const Arguments& call) {
  runtime.budget()->SpendOnBytes(self.text().size());
  ASSIGN_OR_RETURN(const std::vector<Value> args, Bind(call, {"sub", "start", "end"}));
  if (args[0].Is(Kind::kUndefined)) return UndefinedError(args[0]);
  ASSIGN_OR_RETURN(Window window, SelectWindow(self, args[1], args[2]));
  return Search{args[0], window};
}

// The code point index, or -1.
absl::StatusOr<int64_t> FindFrom(Runtime& runtime, const Value& self, const Arguments& call,
                                 bool from_right) {
  ASSIGN_OR_RETURN(const Search search, ReadSearch(runtime, self, call));
  RETURN_IF_ERROR(ExpectString(search.what));
  if (search.window.empty) return -1;
  const absl::string_view text = search.window.text, what = search.what.text();
  const size_t at = from_right ? text.rfind(what) : FindText(text, what, 0, runtime.budget());
  if (at == text.npos) return -1;
  return static_cast<int64_t>(search.window.first_code_point + CountCodePoints(text.substr(0, at)));
}

template <bool from_right>
Result Find(Runtime& runtime, const Value& self, const Arguments& call) {
  ASSIGN_OR_RETURN(const int64_t at, FindFrom(runtime, self, call, from_right));
  return Value::Number(Int(at));
}

template <bool from_right>
Result Index(Runtime& runtime, const Value& self, const Arguments& call) {
  ASSIGN_OR_RETURN(const int64_t at, FindFrom(runtime, self, call, from_right));
  if (at < 0) return absl::InvalidArgumentError("substring not found");
  return Value::Number(Int(at));
}

Result Count(Runtime& runtime, const Value& self, const Arguments& call) {
  ASSIGN_OR_RETURN(const Search search, ReadSearch(runtime, self, call));
  RETURN_IF_ERROR(ExpectString(search.what));
  if (search.window.empty) return Value::Number(Int(0));
  const absl::string_view text = search.window.text, what = search.what.text();
  if (what.empty()) return Value::Number(Int(CountCodePoints(text) + 1));
  Int count = 0;
  for (size_t at = FindText(text, what, 0, runtime.budget());
       at != text.npos && runtime.budget()->Spend(1);
       at = FindText(text, what, at + what.size(), runtime.budget())) {
    ++count;
  }
  return Value::Number(count);
}

// Affixes may be a tuple: any of them.
template <bool at_start>
Result HasAffix(Runtime& runtime, const Value& self, const Arguments& call) {
  ASSIGN_OR_RETURN(const Search search, ReadSearch(runtime, self, call));
  const std::vector<Value> affixes =
      search.what.Is(Kind::kTuple) ? search.what.items() : std::vector<Value>{search.what};
  bool found = false;
  for (const Value& affix : affixes) {
    RETURN_IF_ERROR(ExpectString(affix));
    found |= at_start ? absl::StartsWith(search.window.text, affix.text())
                      : absl::EndsWith(search.window.text, affix.text());
  }
  return Value::Bool(found && !search.window.empty);
}

// Whether there are characters, and all are of the class.
template <bool (*is_in_class)(char32_t)>
Result AllAre(Runtime& runtime, const Value& self, const Arguments& call) {
  RETURN_IF_ERROR(Bind(call, {}).status());
  runtime.budget()->SpendOnCharacters(self.text().size());
  bool all = !self.text().empty();
  for (CodePoints c(self.text()); !c.done() && all; c.Next()) all = is_in_class(c.value());
  return Value::Bool(all);
}

bool IsAlnum(char32_t c) { return IsAlpha(c) || IsDecimal(c) || IsDigit(c) || IsNumeric(c); }

// Whether there are cased letters, and none of another case than `is_case`.
template <bool (*is_case)(char32_t)>
Result CasedAre(Runtime& runtime, const Value& self, const Arguments& call) {
  RETURN_IF_ERROR(Bind(call, {}).status());
  runtime.budget()->SpendOnCharacters(self.text().size());
  bool any = false;
  for (CodePoints c(self.text()); !c.done(); c.Next()) {
    const bool right = is_case(c.value());
    if (!right && (IsUpper(c.value()) || IsLower(c.value()) || IsTitle(c.value()))) {
      return Value::Bool(false);
    }
    any |= right;
  }
  return Value::Bool(any);
}

Result IsTitleText(Runtime& runtime, const Value& self, const Arguments& call) {
  RETURN_IF_ERROR(Bind(call, {}).status());
  runtime.budget()->SpendOnCharacters(self.text().size());
  bool any = false, in_word = false;
  for (CodePoints c(self.text()); !c.done(); c.Next()) {
    const bool upper = IsUpper(c.value()) || IsTitle(c.value()), lower = IsLower(c.value());
    if ((upper && in_word) || (lower && !in_word)) return Value::Bool(false);
    any |= upper || lower;
    in_word = upper || lower;
  }
  return Value::Bool(any);
}

// Unlike the other classes, this one holds for no characters at all.
Result IsPrintableText(Runtime& runtime, const Value& self, const Arguments& call) {
  if (self.text().empty()) return Value::Bool(true);
  return AllAre<IsPrintable>(runtime, self, call);
}

Result IsAscii(Runtime& runtime, const Value& self, const Arguments& call) {
  RETURN_IF_ERROR(Bind(call, {}).status());
  runtime.budget()->SpendOnCharacters(self.text().size());
  const absl::string_view text = self.text();
  return Value::Bool(std::all_of(text.begin(), text.end(), [](char c) { return c >= 0; }));
}

Result IsIdentifier(Runtime& runtime, const Value& self, const Arguments& call) {
  RETURN_IF_ERROR(Bind(call, {}).status());
  runtime.budget()->SpendOnCharacters(self.text().size());
  bool fits = !self.text().empty();
  for (CodePoints c(self.text()); !c.done() && fits; c.Next()) {
    fits = IsIdentifierPart(c.value()) && !(c.begin() == 0 && IsNumeric(c.value()));
  }
  return Value::Bool(fits);
}

constexpr NamedBuiltin kMethods[] = {
    {"count", Count},
    {"endswith", HasAffix<false>},
    {"find", Find<false>},
    {"index", Index<false>},
    {"isalnum", AllAre<IsAlnum>},
    {"isalpha", AllAre<IsAlpha>},
    {"isascii", IsAscii},
    {"isdecimal", AllAre<IsDecimal>},
    {"isdigit", AllAre<IsDigit>},
    {"isidentifier", IsIdentifier},
    {"islower", CasedAre<IsLower>},
    {"isnumeric", AllAre<IsNumeric>},
    {"isprintable", IsPrintableText},
    {"isspace", AllAre<IsSpace>},
    {"istitle", IsTitleText},
    {"isupper", CasedAre<IsUpper>},
    {"rfind", Find<true>},
    {"rindex", Index<true>},
    {"startswith", HasAffix<true>},
};

}  // namespace

absl::Span<const NamedBuiltin> SearchMethods() { return kMethods; }

}  // namespace switchboard::text::jinja
