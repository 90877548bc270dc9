// Python's string operations, as byte ranges of the text or on marked text; positions fall on code
// points.
#ifndef SWITCHBOARD_TEXT_TEMPLATE_TEXT_OPS_H_
#define SWITCHBOARD_TEXT_TEMPLATE_TEXT_OPS_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/strings/string_view.h"
#include "text/marked_text.h"
#include "text/template/runtime.h"

namespace switchboard::text::jinja {

// What is left without the characters in `chars` (white space when not given) at the asked sides.
ByteRange StripRange(absl::string_view text, std::optional<absl::string_view> chars, bool left,
                     bool right);

// str.split and str.rsplit: at most `most` splits, any number when negative. Without a separator
// the parts are what white space separates. REQUIRES: the separator is not empty.
std::vector<ByteRange> SplitRanges(absl::string_view text,
                                   std::optional<absl::string_view> separator, int64_t most,
                                   bool from_right, Budget* budget);

// str.splitlines; with `keep_ends` the line breaks belong to the lines.
std::vector<ByteRange> LineRanges(absl::string_view text, bool keep_ends, Budget* budget);

// str.replace: at most `most` times, any number when negative.
MarkedText ReplaceText(Runtime& runtime, const MarkedText& text, const MarkedText& old,
                       const MarkedText& with, int64_t most);

enum class Case { kUpper, kLower, kTitle, kCapitalize, kSwap };
// Full Unicode case mapping. A mapped character has the mark of the one it comes from.
MarkedText MapCase(Runtime& runtime, const MarkedText& text, Case to);

// A part of `text`.
MarkedText Part(Runtime& runtime, const MarkedText& text, const ByteRange& range);
// Parts as values; fewer once the budget is used up.
std::vector<Value> Parts(Runtime& runtime, const MarkedText& text,
                         const std::vector<ByteRange>& ranges);

}  // namespace switchboard::text::jinja

#endif  // SWITCHBOARD_TEXT_TEMPLATE_TEXT_OPS_H_
