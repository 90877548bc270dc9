// Python's textwrap.wrap, as jinja's wordwrap uses it.
#ifndef SWITCHBOARD_TEXT_TEMPLATE_WORD_WRAP_H_
#define SWITCHBOARD_TEXT_TEMPLATE_WORD_WRAP_H_

#include <cstddef>
#include <vector>

#include "absl/strings/string_view.h"
#include "text/marked_text.h"
#include "text/template/budget.h"

namespace switchboard::text::jinja {

struct WrapRules {
  size_t width = 79;  // code points in a line
  bool break_long_words = true, break_on_hyphens = true;
};

// The lines that `line` is broken into, as bytes of it; white space at a break belongs to none.
std::vector<ByteRange> WrapLine(absl::string_view line, const WrapRules& rules, Budget* budget);

}  // namespace switchboard::text::jinja

#endif  // SWITCHBOARD_TEXT_TEMPLATE_WORD_WRAP_H_
