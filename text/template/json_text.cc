// Python's json.dumps.
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/status_macros.h"
#include "text/template/code_points.h"
#include "text/template/compare.h"
#include "text/template/numbers.h"
#include "text/template/print.h"
#include "text/template/sort_values.h"

namespace switchboard::text::jinja {
namespace {

std::string Float(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value < 0 ? "-Infinity" : "Infinity";
  return FloatToString(value);
}

std::string UnicodeEscape(char32_t c) {
  const unsigned code = static_cast<unsigned>(c);
  if (code < 0x10000) return absl::StrFormat("\\u%04x", code);
  const unsigned offset = code - 0x10000;
  return absl::StrFormat("\\u%04x\\u%04x", 0xD800 + (offset >> 10), 0xDC00 + (offset & 0x3FF));
}

// The escape for a character, or "" for none.
std::string Escape(char32_t c, bool ensure_ascii) {
  switch (c) {
    case '"':
      return "\\\"";
    case '\\':
      return "\\\\";
    case '\n':
      return "\\n";
    case '\r':
      return "\\r";
    case '\t':
      return "\\t";
    case '\f':
      return "\\f";
    case '\b':
      return "\\b";
    default:
      return c < ' ' || (ensure_ascii && c > '~') ? UnicodeEscape(c) : "";
  }
}

class JsonWriter {
 public:
  JsonWriter(const JsonLayout& layout, TextBuilder* out) : layout_(layout), out_(*out) {}

  // Recursion is bounded by kMaxValueDepth.
  absl::Status Write(const Value& value) {
    if (out_.full()) return absl::OkStatus();  // the budget's status is the error
    switch (value.kind()) {
      case Kind::kNone:
      case Kind::kBool:
      case Kind::kInt:
      case Kind::kFloat:
        out_.AppendData(Scalar(value));
        return absl::OkStatus();
      case Kind::kString:
        String(value.marked());
        return absl::OkStatus();
      case Kind::kList:
      case Kind::kTuple:
        return List(value.items());
      case Kind::kDict:
        return Dict(value.As<DictObject>());
      default:
        return TypeError(
            absl::StrCat("Object of type ", TypeName(value), " is not JSON serializable"));
    }
  }

 private:
  static std::string Scalar(const Value& value) {
    if (value.Is(Kind::kNone)) return "null";
    if (value.Is(Kind::kBool)) return value.boolean() ? "true" : "false";
    return value.Is(Kind::kInt) ? IntToString(value.integer()) : Float(value.real());
  }

  void String(const MarkedText& text) {
    out_.budget()->SpendOnCharacters(text.size());
    out_.AppendData("\"");
    size_t copied = 0;
    for (CodePoints c(text.text()); !c.done(); c.Next()) {
      const std::string escape = Escape(c.value(), layout_.ensure_ascii);
      if (escape.empty()) continue;
      out_.AppendSlice(text, copied, c.begin());
      out_.AppendData(escape);
      copied = c.end();
    }
    out_.AppendSlice(text, copied, text.size());
    out_.AppendData("\"");
  }

  void NewLine() {
    if (!layout_.indent.has_value()) return;
    out_.AppendData("\n");
    for (int i = 0; i < level_; ++i) out_.AppendData(*layout_.indent);
  }

  absl::Status List(const std::vector<Value>& items) {
    if (items.empty()) {
      out_.AppendData("[]");
      return absl::OkStatus();
    }
    out_.AppendData("[");
    ++level_;
    for (size_t i = 0; i < items.size(); ++i) {
      if (i > 0) out_.AppendData(layout_.item_separator);
      NewLine();
      RETURN_IF_ERROR(Write(items[i]));
    }
    --level_;
    NewLine();
    out_.AppendData("]");
    return absl::OkStatus();
  }

  absl::Status Key(const Value& key) {
    if (key.is_string()) {
      String(key.marked());
    } else if (key.Is(Kind::kNone) || key.is_number()) {
      out_.AppendData(absl::StrCat("\"", Scalar(key), "\""));
    } else {
      return TypeError(
          absl::StrCat("keys must be str, int, float, bool or None, not ", TypeName(key)));
    }
    out_.AppendData(layout_.key_separator);
    return absl::OkStatus();
  }

  // The entries in the order they are written.
  absl::StatusOr<std::vector<DictObject::Entry>> Ordered(const DictObject& dict) {
    if (!layout_.sort_keys) return dict.entries();
    absl::Status status;
    const std::vector<size_t> places = StableOrder(dict.entries().size(), [&](size_t a, size_t b) {
      const absl::StatusOr<bool> less =
          Less(dict.entries()[a].first, dict.entries()[b].first, out_.budget());
      if (!less.ok()) status = less.status();
      return less.ok() && *less;
    });
    RETURN_IF_ERROR(status);
    std::vector<DictObject::Entry> entries;
    for (const size_t place : places) entries.push_back(dict.entries()[place]);
    return entries;
  }

  absl::Status Dict(const DictObject& dict) {
    if (dict.entries().empty()) {
      out_.AppendData("{}");
      return absl::OkStatus();
    }
    ASSIGN_OR_RETURN(const std::vector<DictObject::Entry> entries, Ordered(dict));
    out_.AppendData("{");
    ++level_;
    for (size_t i = 0; i < entries.size(); ++i) {
      if (i > 0) out_.AppendData(layout_.item_separator);
      NewLine();
      RETURN_IF_ERROR(Key(entries[i].first));
      RETURN_IF_ERROR(Write(entries[i].second));
    }
    --level_;
    NewLine();
    out_.AppendData("}");
    return absl::OkStatus();
  }

  const JsonLayout& layout_;
  TextBuilder& out_;
  int level_ = 0;
};

}  // namespace

absl::Status JsonTo(const Value& value, const JsonLayout& layout, TextBuilder* out) {
  return JsonWriter(layout, out).Write(value);
}

}  // namespace switchboard::text::jinja
