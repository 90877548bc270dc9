// Ids and what they stand for: the token's text as its file spells it, and the bytes it decodes to.
#ifndef SWITCHBOARD_TEXT_TOKENIZER_VOCABULARY_H_
#define SWITCHBOARD_TEXT_TOKENIZER_VOCABULARY_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"

namespace switchboard::text {

// Ids lie in 0 .. kMaxVocabulary - 1: a bound on memory, four times the largest vocabulary known.
inline constexpr int32_t kMaxVocabulary = int32_t{1} << 20;

// A table with gaps allowed. Writing is single-threaded; afterwards it is immutable and
// thread-safe.
class Vocabulary {
 public:
  // Defines token `id`. InvalidArgument when the id is out of range or taken, or when `text` has
  // another id.
  absl::Status Add(int64_t id, absl::string_view text, absl::string_view bytes);
  // REQUIRES: `id` is defined.
  void MarkSpecial(int32_t id);

  // Highest id + 1.
  int32_t size() const { return static_cast<int32_t>(tokens_.size()); }
  bool Has(int32_t id) const { return Get(id) != nullptr; }
  absl::optional<int32_t> Find(absl::string_view text) const;
  // Empty for an id without a token. The views live as long as the vocabulary.
  absl::string_view Text(int32_t id) const;
  absl::string_view Bytes(int32_t id) const;
  bool IsSpecial(int32_t id) const;

 private:
  struct Token {
    std::string text, bytes;
    bool defined = false, special = false;
  };

  const Token* Get(int32_t id) const;

  std::vector<Token> tokens_;
  absl::flat_hash_map<std::string, int32_t> ids_;  // by text
};

// `text` in quotes for an error message: escaped, and shortened when long.
std::string Quoted(absl::string_view text);

}  // namespace switchboard::text

#endif  // SWITCHBOARD_TEXT_TOKENIZER_VOCABULARY_H_
