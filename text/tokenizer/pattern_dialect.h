// The regular expressions of tokenizer.json are written for Oniguruma; this turns one into the
// pattern that means the same to PCRE2.
#ifndef SWITCHBOARD_TEXT_TOKENIZER_PATTERN_DIALECT_H_
#define SWITCHBOARD_TEXT_TOKENIZER_PATTERN_DIALECT_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace switchboard::text {

// \s, \S and \w are written out as sets (PCRE2's \s has U+180E too, its \w lacks combining marks),
// \uHHHH becomes \x{HHHH}. Unimplemented for what the two read differently and no known tokenizer
// uses: other letters after a backslash, sets within sets, {n,m}+, conditions, calls and verbs.
absl::StatusOr<std::string> ToPcre2Pattern(absl::string_view pattern);

// A pattern that matches exactly `text`.
std::string LiteralPattern(absl::string_view text);

}  // namespace switchboard::text

#endif  // SWITCHBOARD_TEXT_TOKENIZER_PATTERN_DIALECT_H_
