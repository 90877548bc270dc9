#include "text/tokenizer/split_pattern.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/status_macros.h"
#include "text/tokenizer/pattern_dialect.h"

namespace switchboard::text {
namespace {

constexpr size_t kMaxPatternBytes = 16 * 1024;

PCRE2_SPTR ToPcre2(absl::string_view text) {
  return reinterpret_cast<PCRE2_SPTR>(text.data() == nullptr ? "" : text.data());
}

}  // namespace

MatchScratch::MatchScratch() : data_(pcre2_match_data_create(1, nullptr)) {
  CHECK(data_ != nullptr);
}

MatchScratch::~MatchScratch() { pcre2_match_data_free(data_); }

void SplitPattern::FreeCode::operator()(pcre2_real_code_8* code) const { pcre2_code_free(code); }

absl::StatusOr<SplitPattern> SplitPattern::Compile(absl::string_view regex) {
  ASSIGN_OR_RETURN(SplitPattern pattern, CompileForEngine(regex));
  pattern.scanner_ = PieceScanner::For(regex);
  return pattern;
}

absl::StatusOr<SplitPattern> SplitPattern::CompileForEngine(absl::string_view regex) {
  if (regex.size() > kMaxPatternBytes) {
    return absl::InvalidArgumentError(
        absl::StrCat("regular expression of ", regex.size(), " bytes; at most ", kMaxPatternBytes));
  }
  ASSIGN_OR_RETURN(const std::string pattern, ToPcre2Pattern(regex));
  return CompilePcre2(pattern);
}

absl::StatusOr<SplitPattern> SplitPattern::Literal(absl::string_view text) {
  if (text.size() > kMaxPatternBytes) {
    return absl::InvalidArgumentError(
        absl::StrCat("pattern of ", text.size(), " bytes; at most ", kMaxPatternBytes));
  }
  return CompilePcre2(LiteralPattern(text));
}

absl::StatusOr<SplitPattern> SplitPattern::CompilePcre2(absl::string_view pattern) {
  int error = 0;
  PCRE2_SIZE at = 0;
  pcre2_code* code =
      pcre2_compile(ToPcre2(pattern), pattern.size(),
                    PCRE2_UTF | PCRE2_UCP | PCRE2_NEVER_BACKSLASH_C, &error, &at, nullptr);
  if (code == nullptr) {
    unsigned char message[256] = "";
    pcre2_get_error_message(error, message, sizeof(message));
    return absl::InvalidArgumentError(
        absl::StrCat("regular expression: ", reinterpret_cast<const char*>(message)));
  }
  // Where this fails, matching is interpreted: slower, equal results.
  static_cast<void>(pcre2_jit_compile(code, PCRE2_JIT_COMPLETE));
  return SplitPattern(code);
}

absl::optional<ByteRange> SplitPattern::Find(absl::string_view text, size_t from,
                                             MatchScratch* scratch) const {
  if (scanner_.has_value()) {
    if (from >= text.size()) return absl::nullopt;
    return ByteRange{from, scanner_->PieceEnd(text, from)};
  }
  // Without NO_UTF_CHECK every call would validate all that follows.
  int found = pcre2_match(code_.get(), ToPcre2(text), text.size(), from, PCRE2_NO_UTF_CHECK,
                          scratch->data_, nullptr);
  if (found == PCRE2_ERROR_JIT_STACKLIMIT) {
    found = pcre2_match(code_.get(), ToPcre2(text), text.size(), from,
                        PCRE2_NO_UTF_CHECK | PCRE2_NO_JIT, scratch->data_, nullptr);
  }
  if (found < 0) return absl::nullopt;
  const PCRE2_SIZE* range = pcre2_get_ovector_pointer(scratch->data_);
  DCHECK(from <= range[0] && range[0] <= range[1]);
  return ByteRange{range[0], range[1]};
}

}  // namespace switchboard::text
