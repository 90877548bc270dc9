// A compiled regular expression that finds pieces of text (PCRE2 with its just-in-time compiler; by
// hand where there is a PieceScanner for it).
#ifndef SWITCHBOARD_TEXT_TOKENIZER_SPLIT_PATTERN_H_
#define SWITCHBOARD_TEXT_TOKENIZER_SPLIT_PATTERN_H_

#include <memory>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "text/marked_text.h"
#include "text/tokenizer/piece_scanner.h"

struct pcre2_real_code_8;
struct pcre2_real_match_data_8;

namespace switchboard::text {

// Working memory of searches, for any pattern. One per thread.
class MatchScratch {
 public:
  MatchScratch();
  ~MatchScratch();
  MatchScratch(const MatchScratch&) = delete;
  MatchScratch& operator=(const MatchScratch&) = delete;

 private:
  friend class SplitPattern;
  pcre2_real_match_data_8* const data_;  // owned
};

// Immutable, thread-safe, movable.
class SplitPattern {
 public:
  // `regex` as tokenizer.json writes it. InvalidArgument when it is malformed or too long,
  // Unimplemented for constructs that pattern_dialect.h refuses.
  static absl::StatusOr<SplitPattern> Compile(absl::string_view regex);
  // The same without a PieceScanner, to compare with.
  static absl::StatusOr<SplitPattern> CompileForEngine(absl::string_view regex);
  // Finds exactly `text`.
  static absl::StatusOr<SplitPattern> Literal(absl::string_view text);

  // The first match that begins at or after `from`; nothing when there is none, and also when the
  // search exceeds PCRE2's limits on work and memory (only a pattern with nested repetition can).
  // Whatever lies before `from` is still seen by look-behinds. REQUIRES: `text` is valid UTF-8,
  // `from` a character's start.
  absl::optional<ByteRange> Find(absl::string_view text, size_t from, MatchScratch* scratch) const;

 private:
  struct FreeCode {
    void operator()(pcre2_real_code_8* code) const;
  };

  explicit SplitPattern(pcre2_real_code_8* code) : code_(code) {}
  static absl::StatusOr<SplitPattern> CompilePcre2(absl::string_view pattern);

  std::unique_ptr<pcre2_real_code_8, FreeCode> code_;
  absl::optional<PieceScanner> scanner_;
};

}  // namespace switchboard::text

#endif  // SWITCHBOARD_TEXT_TOKENIZER_SPLIT_PATTERN_H_
