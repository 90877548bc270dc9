// Values as text: Python's str() and repr(), HTML escapes, JSON.
#ifndef SWITCHBOARD_TEXT_TEMPLATE_PRINT_H_
#define SWITCHBOARD_TEXT_TEMPLATE_PRINT_H_

#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "text/marked_text.h"
#include "text/template/runtime.h"
#include "text/template/text_builder.h"
#include "text/template/value.h"

namespace switchboard::text::jinja {

// All of these copy a string's unchanged bytes with their marks; what they add is data.

// str(value): strings as they are, undefined as nothing.
void PrintTo(const Value& value, TextBuilder* out);
MarkedText Print(Runtime& runtime, const Value& value);

// repr(value): strings in quotes.
void ReprTo(const Value& value, TextBuilder* out);

// str(value) with & < > " ' as entities, unless it counts as escaped already.
MarkedText EscapeHtml(Runtime& runtime, const Value& value);

// Python's json.dumps.
struct JsonLayout {
  bool ensure_ascii = false;  // non-ASCII as \u escapes
  bool sort_keys = false;
  std::optional<std::string> indent;  // one level's white space; without it all is on one line
  std::string item_separator = ", ", key_separator = ": ";
};
// Error for what JSON cannot hold: undefined, functions, dict views, keys that are no scalars.
absl::Status JsonTo(const Value& value, const JsonLayout& layout, TextBuilder* out);

}  // namespace switchboard::text::jinja

#endif  // SWITCHBOARD_TEXT_TEMPLATE_PRINT_H_
