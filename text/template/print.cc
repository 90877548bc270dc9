#include "text/template/print.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "text/template/code_points.h"
#include "text/template/numbers.h"

namespace switchboard::text::jinja {
namespace {

// The escape that repr() writes for a character other than quotes, or "" for none.
std::string ReprEscape(char32_t c) {
  switch (c) {
    case '\n':
      return "\\n";
    case '\r':
      return "\\r";
    case '\t':
      return "\\t";
    case '\\':
      return "\\\\";
    default:
      break;
  }
  if (IsPrintable(c)) return "";
  const unsigned code = static_cast<unsigned>(c);
  if (code < 0x100) return absl::StrFormat("\\x%02x", code);
  return code < 0x10000 ? absl::StrFormat("\\u%04x", code) : absl::StrFormat("\\U%08x", code);
}

// Single quotes, unless only these occur in the text.
char ReprQuote(absl::string_view text) {
  return text.find('\'') != text.npos && text.find('"') == text.npos ? '"' : '\'';
}

void ReprString(const MarkedText& text, TextBuilder* out) {
  const std::string quote(1, ReprQuote(text.text()));
  out->budget()->SpendOnCharacters(text.size());
  out->AppendData(quote);
  size_t copied = 0;
  for (CodePoints c(text.text()); !c.done(); c.Next()) {
    const std::string escape = c.bytes() == quote ? "\\" + quote : ReprEscape(c.value());
    if (escape.empty()) continue;
    out->AppendSlice(text, copied, c.begin());
    out->AppendData(escape);
    copied = c.end();
  }
  out->AppendSlice(text, copied, text.size());
  out->AppendData(quote);
}

void ReprBytes(absl::string_view bytes, TextBuilder* out) {
  const char quote = ReprQuote(bytes);
  out->budget()->SpendOnCharacters(bytes.size());
  std::string text = absl::StrCat("b", std::string(1, quote));
  for (const char c : bytes) {
    const unsigned char byte = static_cast<unsigned char>(c);
    if (c == quote) {
      absl::StrAppend(&text, "\\", std::string(1, c));
    } else {
      const std::string escape =
          byte < 0x80 ? ReprEscape(byte) : absl::StrFormat("\\x%02x", static_cast<unsigned>(byte));
      text += escape.empty() ? std::string(1, c) : escape;
    }
  }
  out->AppendData(text + quote);
}

void ReprItems(const std::vector<Value>& items, TextBuilder* out) {
  absl::string_view separator;
  for (const Value& item : items) {
    out->AppendData(separator);
    ReprTo(item, out);
    separator = ", ";
  }
}

void ReprEntries(const DictObject& dict, TextBuilder* out) {
  absl::string_view separator = "{";
  for (const auto& [key, value] : dict.entries()) {
    out->AppendData(separator);
    ReprTo(key, out);
    out->AppendData(": ");
    ReprTo(value, out);
    separator = ", ";
  }
  out->AppendData(dict.entries().empty() ? "{}" : "}");
}

void ReprView(const Value& view, TextBuilder* out) {
  out->AppendData(absl::StrCat(TypeName(view), "(["));
  absl::string_view separator;
  const auto part = view.As<DictViewObject>().part;
  for (const auto& [key, value] : view.As<DictViewObject>().dict.As<DictObject>().entries()) {
    out->AppendData(separator);
    if (part == DictViewObject::kItems) out->AppendData("(");
    if (part != DictViewObject::kValues) ReprTo(key, out);
    if (part == DictViewObject::kItems) out->AppendData(", ");
    if (part != DictViewObject::kKeys) ReprTo(value, out);
    if (part == DictViewObject::kItems) out->AppendData(")");
    separator = ", ";
  }
  out->AppendData("])");
}

void ReprRange(const RangeObject& range, TextBuilder* out) {
  out->AppendData(absl::StrCat("range(", range.start, ", ", range.stop));
  if (range.step != 1) out->AppendData(absl::StrCat(", ", range.step));
  out->AppendData(")");
}

}  // namespace

void PrintTo(const Value& value, TextBuilder* out) {
  if (value.is_string()) {
    out->Append(value.marked());
  } else if (!value.Is(Kind::kUndefined)) {
    ReprTo(value, out);
  }
}

MarkedText Print(Runtime& runtime, const Value& value) {
  if (value.is_string()) return value.marked();
  TextBuilder text(runtime.budget());
  PrintTo(value, &text);
  return text.Take();
}

// Recursion is bounded by kMaxValueDepth.
void ReprTo(const Value& value, TextBuilder* out) {
  if (out->full()) return;
  switch (value.kind()) {
    case Kind::kUndefined:
      return out->AppendData("Undefined");
    case Kind::kNone:
      return out->AppendData("None");
    case Kind::kBool:
      return out->AppendData(value.boolean() ? "True" : "False");
    case Kind::kInt:
      return out->AppendData(IntToString(value.integer()));
    case Kind::kFloat:
      return out->AppendData(FloatToString(value.real()));
    case Kind::kString:
      if (!value.As<StringObject>().markup) return ReprString(value.marked(), out);
      out->AppendData("Markup(");
      ReprString(value.marked(), out);
      return out->AppendData(")");
    case Kind::kBytes:
      return ReprBytes(value.text(), out);
    case Kind::kList:
      out->AppendData("[");
      ReprItems(value.items(), out);
      return out->AppendData("]");
    case Kind::kTuple:
      out->AppendData("(");
      ReprItems(value.items(), out);
      return out->AppendData(value.items().size() == 1 ? ",)" : ")");
    case Kind::kDict:
      return ReprEntries(value.As<DictObject>(), out);
    case Kind::kDictView:
      return ReprView(value, out);
    case Kind::kRange:
      return ReprRange(value.As<RangeObject>(), out);
    case Kind::kIterator:
    case Kind::kNamespace:
    case Kind::kEntity:
      // Python shows an address here, which nobody wants in a prompt.
      return out->AppendData(absl::StrCat("<", TypeName(value), " object>"));
  }
}

MarkedText EscapeHtml(Runtime& runtime, const Value& value) {
  if (value.is_string() && value.As<StringObject>().markup) return value.marked();
  const MarkedText plain = Print(runtime, value);
  const absl::string_view text = plain.text();
  runtime.budget()->SpendOnCharacters(text.size());
  TextBuilder out(runtime.budget());
  size_t copied = 0;
  for (size_t i = text.find_first_of("&<>\"'"); i != text.npos;
       i = text.find_first_of("&<>\"'", i + 1)) {
    out.AppendSlice(plain, copied, i);
    out.AppendData(text[i] == '&'   ? "&amp;"
                   : text[i] == '<' ? "&lt;"
                   : text[i] == '>' ? "&gt;"
                   : text[i] == '"' ? "&#34;"
                                    : "&#39;");
    copied = i + 1;
  }
  out.AppendSlice(plain, copied, text.size());
  return out.Take();
}

}  // namespace switchboard::text::jinja
