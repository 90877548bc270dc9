// Cuts text into the pieces within which byte-pair encoding merges.
#ifndef SWITCHBOARD_TEXT_TOKENIZER_PRE_TOKENIZER_H_
#define SWITCHBOARD_TEXT_TOKENIZER_PRE_TOKENIZER_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "text/marked_text.h"
#include "text/tokenizer/split_pattern.h"

namespace switchboard::text {

// One cut: matches of the pattern and the gaps between them become pieces of their own, or are
// dropped.
struct SplitStage {
  SplitPattern pattern;
  bool keep_matches = true, keep_gaps = true;
};

// SentencePiece's way to write spaces (the Metaspace pre-tokenizer).
struct Metaspace {
  enum class Prepend { kAlways, kFirst, kNever };

  std::string replacement;  // of each space
  // Whether a replacement is put before a piece that does not begin with one: before every piece,
  // before that which begins the whole text, before none.
  Prepend prepend = Prepend::kAlways;
  bool split = true;  // whether a piece begins at every replacement
};

// Immutable, thread-safe.
class PreTokenizer {
 public:
  // Result and working memory, reused from text to text. One per thread.
  class Pieces {
   public:
    size_t size() const { return ranges_.size(); }
    // Valid until the next Cut, and as long as the text that was cut.
    absl::string_view operator[](size_t i) const {
      return text_.substr(ranges_[i].begin, ranges_[i].end - ranges_[i].begin);
    }

   private:
    friend class PreTokenizer;
    absl::string_view text_;  // what was cut, or rewritten_
    std::string rewritten_;
    std::vector<ByteRange> ranges_, previous_;
    MatchScratch match_;
  };

  // Applies `stages` in order, each to every piece that the one before left. Then, with
  // `prefix_space`, a space is put before each piece that does not begin with one, and
  // `after_prefix` cuts further.
  PreTokenizer(std::vector<SplitStage> stages, bool prefix_space,
               std::vector<SplitStage> after_prefix);
  // Applies `stages` in the same way and then `metaspace` to each piece.
  PreTokenizer(std::vector<SplitStage> stages, Metaspace metaspace);

  // `at_start`: `text` begins the whole text. REQUIRES: `text` is valid UTF-8.
  void Cut(absl::string_view text, bool at_start, Pieces* pieces) const;

 private:
  static void Apply(const SplitStage& stage, Pieces* pieces);
  static void PrefixSpaces(Pieces* pieces);
  void ApplyMetaspace(bool at_start, Pieces* pieces) const;

  std::vector<SplitStage> stages_;
  bool prefix_space_;
  std::vector<SplitStage> after_prefix_;
  absl::optional<Metaspace> metaspace_;
};

}  // namespace switchboard::text

#endif  // SWITCHBOARD_TEXT_TOKENIZER_PRE_TOKENIZER_H_
