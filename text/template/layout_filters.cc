// Filters that lay text out: center, indent, truncate, wordwrap, striptags, wordcount, format.
#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/utf8.h"
#include "text/template/builtins.h"
#include "text/template/code_points.h"
#include "text/template/compare.h"
#include "text/template/format.h"
#include "text/template/operators.h"
#include "text/template/print.h"
#include "text/template/text_builder.h"
#include "text/template/text_ops.h"
#include "text/template/word_wrap.h"

namespace switchboard::text::jinja {
namespace {

using Result = absl::StatusOr<Value>;

Result Center(Runtime& runtime, const Value& value, const Arguments& call) {
  ASSIGN_OR_RETURN(const std::vector<Value> args, Bind(call, {"width"}));
  const Value width = IsGiven(args[0]) ? args[0] : Value::Number(Int(80));
  const Value text = runtime.String(Print(runtime, value));
  return FindMethod(Kind::kString, "center")(runtime, text, {{width}, {}});
}

Result Indent(Runtime& runtime, const Value& value, const Arguments& call) {
  ASSIGN_OR_RETURN(const std::vector<Value> args, Bind(call, {"width", "first", "blank"}));
  RETURN_IF_ERROR(ExpectString(value));
  MarkedText indention;
  if (args[0].is_string()) {
    indention = args[0].marked();
  } else {
    ASSIGN_OR_RETURN(const int64_t width, IndexOr(args[0], 4, "width"));
    TextBuilder blanks(runtime.budget());
    blanks.AppendRepeated(MarkedText::Data(" "), static_cast<size_t>(std::max<int64_t>(width, 0)));
    indention = blanks.Take();
  }
  const bool first = IsTrue(args[1]), blank = IsTrue(args[2]);
  const MarkedText& text = value.marked();
  std::vector<ByteRange> lines = LineRanges(text.text(), false, runtime.budget());
  // A line break at the end begins one more, empty line.
  CodePoints last(text.text());
  bool open_line = text.empty();
  for (; !last.done(); last.Next()) open_line = IsLineBreak(last.value());
  if (open_line) lines.push_back({text.size(), text.size()});
  TextBuilder out(runtime.budget());
  for (size_t i = 0; i < lines.size() && runtime.budget()->Spend(1); ++i) {
    const bool empty = lines[i].begin == lines[i].end;
    if (i > 0) out.AppendData("\n");
    if (i == 0 ? first : blank || !empty) out.Append(indention);
    out.AppendSlice(text, lines[i].begin, lines[i].end);
  }
  return runtime.String(out.Take());
}

Result Truncate(Runtime& runtime, const Value& value, const Arguments& call) {
  ASSIGN_OR_RETURN(const std::vector<Value> args,
                   Bind(call, {"length", "killwords", "end", "leeway"}));
  ASSIGN_OR_RETURN(const int64_t length, IndexOr(args[0], 255, "length"));
  ASSIGN_OR_RETURN(const int64_t leeway, IndexOr(args[3], 5, "leeway"));
  const Value end = IsGiven(args[2]) ? runtime.String(Print(runtime, args[2])) : Value::Data("...");
  const int64_t end_length = static_cast<int64_t>(end.As<StringObject>().code_points);
  if (length < end_length || leeway < 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("truncate: length must be at least ", end_length, " and leeway not negative"));
  }
  ASSIGN_OR_RETURN(const size_t text_length, Length(value));
  if (static_cast<int64_t>(text_length) <= length + leeway) return value;
  RETURN_IF_ERROR(ExpectString(value));
  size_t kept = ByteOfCodePoint(value.text(), static_cast<size_t>(length - end_length));
  if (!IsTrue(args[1])) {
    const size_t blank = absl::string_view(value.text()).substr(0, kept).rfind(' ');
    if (blank != absl::string_view::npos) kept = blank;
  }
  TextBuilder out(runtime.budget());
  out.AppendSlice(value.marked(), 0, kept);
  out.Append(end.marked());
  return runtime.String(out.Take());
}

Result WordWrap(Runtime& runtime, const Value& value, const Arguments& call) {
  ASSIGN_OR_RETURN(const std::vector<Value> args,
                   Bind(call, {"width", "break_long_words", "wrapstring", "break_on_hyphens"}));
  ASSIGN_OR_RETURN(const int64_t width, IndexOr(args[0], 79, "width"));
  RETURN_IF_ERROR(ExpectString(value));
  if (width <= 0) return absl::InvalidArgumentError("wordwrap: width must be positive");
  WrapRules rules;
  rules.width = static_cast<size_t>(width);
  rules.break_long_words = !IsGiven(args[1]) || IsTrue(args[1]);
  rules.break_on_hyphens = !IsGiven(args[3]) || IsTrue(args[3]);
  const MarkedText separator = args[2].is_string() ? args[2].marked() : MarkedText::Data("\n");
  const MarkedText& text = value.marked();
  TextBuilder out(runtime.budget());
  bool first = true;
  for (const ByteRange& line : LineRanges(text.text(), false, runtime.budget())) {
    if (!first) out.Append(separator);
    first = true;
    const absl::string_view bytes =
        absl::string_view(text.text()).substr(line.begin, line.end - line.begin);
    for (const ByteRange& part : WrapLine(bytes, rules, runtime.budget())) {
      if (!first) out.Append(separator);
      out.AppendSlice(text, line.begin + part.begin, line.begin + part.end);
      first = false;
    }
    first = false;
  }
  return runtime.String(out.Take());
}

// What the few entities stand for that people write by hand.
std::string Unescaped(absl::string_view text) {
  constexpr std::pair<absl::string_view, absl::string_view> kEntities[] = {
      {"&lt;", "<"},  {"&gt;", ">"},   {"&quot;", "\""},       {"&#34;", "\""},
      {"&#39;", "'"}, {"&apos;", "'"}, {"&nbsp;", "\xC2\xA0"}, {"&amp;", "&"},
  };
  std::string result;
  while (!text.empty()) {
    size_t taken = 0;
    for (const auto& [entity, character] : kEntities) {
      if (taken == 0 && absl::StartsWith(text, entity)) {
        absl::StrAppend(&result, character);
        taken = entity.size();
      }
    }
    if (taken == 0) {
      result.push_back(text[0]);
      taken = 1;
    }
    text.remove_prefix(taken);
  }
  return result;
}

// Text without tags and comments, runs of white space as one blank.
Result StripTags(Runtime& runtime, const Value& value, const Arguments& call) {
  RETURN_IF_ERROR(Bind(call, {}).status());
  const MarkedText text = Print(runtime, value);
  runtime.budget()->SpendOnCharacters(3 * text.size());
  absl::string_view rest = text.text();
  std::string kept;
  while (!rest.empty() && runtime.budget()->Spend(1)) {
    const size_t open = std::min(rest.find('<'), rest.size());
    absl::StrAppend(&kept, rest.substr(0, open));
    rest.remove_prefix(open);
    const absl::string_view mark = absl::StartsWith(rest, "<!--") ? "-->" : ">";
    const size_t close = rest.find(mark);
    if (close == rest.npos) break;
    rest.remove_prefix(close + mark.size());
  }
  absl::StrAppend(&kept, rest);
  std::string words;
  for (const ByteRange& word : SplitRanges(kept, std::nullopt, -1, false, runtime.budget())) {
    absl::StrAppend(&words, words.empty() ? "" : " ",
                    absl::string_view(kept).substr(word.begin, word.end - word.begin));
  }
  return runtime.Data(Unescaped(words));
}

Result WordCount(Runtime& runtime, const Value& value, const Arguments& call) {
  RETURN_IF_ERROR(Bind(call, {}).status());
  const MarkedText text = Print(runtime, value);
  runtime.budget()->SpendOnCharacters(text.size());
  Int count = 0;
  bool inside = false;
  for (CodePoints c(text.text()); !c.done(); c.Next()) {
    const bool word = IsIdentifierPart(c.value()) || IsNumeric(c.value());
    count += word && !inside;
    inside = word;
  }
  return Value::Number(count);
}

Result Format(Runtime& runtime, const Value& value, const Arguments& call) {
  const Value format = runtime.String(Print(runtime, value));
  if (call.keyword.empty()) return FormatPercent(runtime, format, runtime.Tuple(call.positional));
  if (!call.positional.empty()) {
    return TypeError("can't handle positional and keyword arguments at the same time");
  }
  std::vector<DictObject::Entry> entries;
  for (const auto& [name, argument] : call.keyword) {
    entries.emplace_back(Value::Data(name), argument);
  }
  return FormatPercent(runtime, format, Value::Dict(std::move(entries), runtime.budget()));
}

constexpr NamedBuiltin kFilters[] = {
    {"center", Center},       {"format", Format},     {"indent", Indent},
    {"striptags", StripTags}, {"truncate", Truncate}, {"wordcount", WordCount},
    {"wordwrap", WordWrap},
};

}  // namespace

absl::Span<const NamedBuiltin> LayoutFilters() { return kFilters; }

}  // namespace switchboard::text::jinja
