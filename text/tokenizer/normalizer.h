// What happens to a text before it is cut into pieces: Unicode normalization and lower case (ICU),
// replacements.
#ifndef SWITCHBOARD_TEXT_TOKENIZER_NORMALIZER_H_
#define SWITCHBOARD_TEXT_TOKENIZER_NORMALIZER_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/variant.h"
#include "text/marked_text.h"
#include "text/tokenizer/split_pattern.h"

namespace switchboard::text {

// Immutable, thread-safe. All texts are valid UTF-8 of less than 2^31 bytes.
class Normalizer {
 public:
  // kLowercase maps each character by itself, so a final sigma is treated as any other.
  enum class Form { kNfc, kNfd, kNfkc, kNfkd, kLowercase };
  // Puts `text` before every text that is not empty.
  struct Prepend {
    std::string text;
  };
  // Puts `content` in the place of every match.
  struct Replace {
    std::shared_ptr<const SplitPattern> pattern;
    std::string content;
  };
  using Step = absl::variant<Form, Prepend, Replace>;

  // Applies `steps` in order; none of them leaves texts as they are.
  explicit Normalizer(std::vector<Step> steps = {}) : steps_(std::move(steps)) {}

  bool IsIdentity() const { return steps_.empty(); }
  std::string Apply(absl::string_view text) const;
  // The same text; a character is literal when everything that it was made from is (and so is one
  // that a step puts before the text). Slower.
  MarkedText ApplyMarked(const MarkedText& text) const;

 private:
  std::vector<Step> steps_;
};

}  // namespace switchboard::text

#endif  // SWITCHBOARD_TEXT_TOKENIZER_NORMALIZER_H_
