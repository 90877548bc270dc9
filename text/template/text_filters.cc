// Filters from a string to a string of other letters: case, trim, replace, escapes.
#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "text/template/builtins.h"
#include "text/template/code_points.h"
#include "text/template/compare.h"
#include "text/template/operators.h"
#include "text/template/print.h"
#include "text/template/text_builder.h"
#include "text/template/text_ops.h"

namespace switchboard::text::jinja {
namespace {

using Result = absl::StatusOr<Value>;

template <Case to>
Result ToCase(Runtime& runtime, const Value& value, const Arguments& call) {
  RETURN_IF_ERROR(Bind(call, {}).status());
  return runtime.StringLike(value, MapCase(runtime, Print(runtime, value), to));
}

// Unlike str.title, words begin only behind white space, hyphens and opening brackets.
Result Title(Runtime& runtime, const Value& value, const Arguments& call) {
  RETURN_IF_ERROR(Bind(call, {}).status());
  const MarkedText text = Print(runtime, value);
  TextBuilder out(runtime.budget());
  bool begins = true;
  size_t word = 0;
  const auto flush = [&](size_t end) {
    if (end == word) return;
    // The first letter in upper case, the rest of the word in lower case.
    const size_t first = word + ByteOfCodePoint(absl::string_view(text.text()).substr(word), 1);
    TextBuilder head(runtime.budget()), tail(runtime.budget());
    head.AppendSlice(text, word, first);
    tail.AppendSlice(text, first, end);
    out.Append(MapCase(runtime, head.Take(), Case::kUpper));
    out.Append(MapCase(runtime, tail.Take(), Case::kLower));
    word = end;
  };
  for (CodePoints c(text.text()); !c.done() && runtime.budget()->Spend(1); c.Next()) {
    const char32_t v = c.value();
    const bool separator = IsSpace(v) || v == '-' || v == '(' || v == '{' || v == '[' || v == '<';
    if (separator != begins) flush(c.begin());
    begins = separator;
  }
  flush(text.size());
  return runtime.StringLike(value, out.Take());
}

Result Trim(Runtime& runtime, const Value& value, const Arguments& call) {
  ASSIGN_OR_RETURN(const std::vector<Value> args, Bind(call, {"chars"}));
  const MarkedText text = Print(runtime, value);
  std::optional<absl::string_view> chars;
  if (args[0].is_string()) chars = args[0].text();
  runtime.budget()->SpendOnCharacters(text.size());
  const ByteRange kept = StripRange(text.text(), chars, true, true);
  return runtime.StringLike(value, Part(runtime, text, kept));
}

Result Replace(Runtime& runtime, const Value& value, const Arguments& call) {
  ASSIGN_OR_RETURN(const std::vector<Value> args, Bind(call, {"old", "new", "count"}));
  ASSIGN_OR_RETURN(const int64_t most, IndexOr(args[2], -1, "count"));
  return runtime.String(ReplaceText(runtime, Print(runtime, value), Print(runtime, args[0]),
                                    Print(runtime, args[1]), most));
}

Result Escape(Runtime& runtime, const Value& value, const Arguments& call) {
  RETURN_IF_ERROR(Bind(call, {}).status());
  return Value::Markup(EscapeHtml(runtime, value), runtime.budget());
}

Result ForceEscape(Runtime& runtime, const Value& value, const Arguments& call) {
  RETURN_IF_ERROR(Bind(call, {}).status());
  const Value plain = runtime.String(Print(runtime, value));
  return Value::Markup(EscapeHtml(runtime, plain), runtime.budget());
}

Result Safe(Runtime& runtime, const Value& value, const Arguments& call) {
  RETURN_IF_ERROR(Bind(call, {}).status());
  return Value::Markup(Print(runtime, value), runtime.budget());
}

Result ToString(Runtime& runtime, const Value& value, const Arguments& call) {
  RETURN_IF_ERROR(Bind(call, {}).status());
  return value.is_string() ? value : runtime.String(Print(runtime, value));
}

std::string Quoted(absl::string_view text, absl::string_view unchanged, Budget* budget) {
  budget->Spend(text.size());
  std::string quoted;
  for (const char c : text) {
    if (absl::ascii_isalnum(static_cast<unsigned char>(c)) || unchanged.find(c) != unchanged.npos) {
      quoted.push_back(c);
    } else {
      absl::StrAppendFormat(&quoted, "%%%02X", static_cast<unsigned char>(c));
    }
  }
  return quoted;
}

// A string keeps its slashes; in the pairs of a query none stay, and blanks become plus signs.
Result UrlEncode(Runtime& runtime, const Value& value, const Arguments& call) {
  RETURN_IF_ERROR(Bind(call, {}).status());
  if (value.is_string() || !IsIterable(value)) {
    return runtime.Data(Quoted(Print(runtime, value).text(), "_.-~/", runtime.budget()));
  }
  const auto query_part = [&](const Value& part) {
    std::string quoted = Quoted(Print(runtime, part).text(), "_.-~ ", runtime.budget());
    std::replace(quoted.begin(), quoted.end(), ' ', '+');
    return quoted;
  };
  std::vector<Value> pairs;
  if (value.Is(Kind::kDict)) {
    for (const auto& [key, item] : value.As<DictObject>().entries()) {
      pairs.push_back(runtime.Tuple({key, item}));
    }
  } else {
    ASSIGN_OR_RETURN(pairs, Iterate(value, runtime.budget()));
  }
  TextBuilder out(runtime.budget());
  for (const Value& pair : pairs) {
    ASSIGN_OR_RETURN(const std::vector<Value> parts, Iterate(pair, runtime.budget()));
    if (parts.size() != 2) return TypeError("urlencode wants pairs");
    out.AppendData(
        absl::StrCat(out.size() > 0 ? "&" : "", query_part(parts[0]), "=", query_part(parts[1])));
  }
  return runtime.String(out.Take());
}

// Attributes of a tag: ` a="1" b="2"`.
Result XmlAttributes(Runtime& runtime, const Value& value, const Arguments& call) {
  ASSIGN_OR_RETURN(const std::vector<Value> args, Bind(call, {"autospace"}));
  if (!value.Is(Kind::kDict)) return TypeError("xmlattr wants a dict");
  TextBuilder out(runtime.budget());
  const bool leading = !IsGiven(args[0]) || IsTrue(args[0]);
  for (const auto& [key, item] : value.As<DictObject>().entries()) {
    if (item.Is(Kind::kNone) || item.Is(Kind::kUndefined)) continue;
    const MarkedText name = EscapeHtml(runtime, key);
    if (name.text().find_first_of(" \t\n\r\f/>=") != std::string::npos) {
      return absl::InvalidArgumentError("an attribute's name holds a space, '/', '>' or '='");
    }
    if (out.size() > 0 || leading) out.AppendData(" ");
    out.Append(name);
    out.AppendData("=\"");
    out.Append(EscapeHtml(runtime, item));
    out.AppendData("\"");
  }
  return runtime.autoescape ? Value::Markup(out.Take(), runtime.budget())
                            : runtime.String(out.Take());
}

constexpr NamedBuiltin kFilters[] = {
    {"capitalize", ToCase<Case::kCapitalize>},
    {"e", Escape},
    {"escape", Escape},
    {"forceescape", ForceEscape},
    {"lower", ToCase<Case::kLower>},
    {"replace", Replace},
    {"safe", Safe},
    {"string", ToString},
    {"title", Title},
    {"trim", Trim},
    {"upper", ToCase<Case::kUpper>},
    {"urlencode", UrlEncode},
    {"xmlattr", XmlAttributes},
};

}  // namespace

absl::Span<const NamedBuiltin> TextFilters() { return kFilters; }

}  // namespace switchboard::text::jinja
