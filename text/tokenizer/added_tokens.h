// Added tokens: names such as `<|user|>` that are found in the text before anything else happens to
// it.
#ifndef SWITCHBOARD_TEXT_TOKENIZER_ADDED_TOKENS_H_
#define SWITCHBOARD_TEXT_TOKENIZER_ADDED_TOKENS_H_

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "text/marked_text.h"

namespace switchboard::text {

// As tokenizer.json describes one.
struct AddedToken {
  int32_t id = -1;
  std::string text;
  bool special = false;      // steers the model: only literal text can become it
  bool lstrip = false;       // takes the white space before it along
  bool rstrip = false;       // and after it
  bool single_word = false;  // not within a word
  bool normalized = false;   // searched in the normalized text
};

// A stretch of text: an added token, or the text between two of them.
struct AddedTokenPiece {
  static constexpr int32_t kText = -1;
  ByteRange range;  // with the white space that the token takes along
  int32_t id = kText;
};

// Finds a set of added tokens, the leftmost first and the longest of those. Immutable, thread-safe.
class AddedTokenMatcher {
 public:
  // Tokens with empty text are never found; of tokens with equal text the first is.
  explicit AddedTokenMatcher(std::vector<AddedToken> tokens);

  bool empty() const { return tokens_.empty(); }
  bool has_special() const { return has_special_; }

  // Cuts bytes `within` of `text` at the tokens found there and appends the stretches in order,
  // none empty.
  //
  // A special token is found only where all its bytes are literal. One found in data is ordinary
  // text up to its end, so shorter tokens inside it are not looked for (as the reference does with
  // special tokens switched off). One that is partly literal counts as not there at all: data next
  // to a control token must not hide it. REQUIRES: `text` is valid UTF-8.
  void Cut(const MarkedText& text, ByteRange within, std::vector<AddedTokenPiece>* pieces) const;

 private:
  struct Node {
    int32_t token = -1;  // index of the token that ends here
  };
  // A token found at some place: its index and end.
  struct Candidate {
    int32_t token;
    size_t end;
  };
  // What to do at a place: take a token, or go on at byte `next`.
  struct Decision {
    const AddedToken* token;
    size_t next;
  };

  static uint64_t Edge(uint32_t node, char byte) {
    return uint64_t{node} << 8 | static_cast<unsigned char>(byte);
  }
  void Insert(const std::string& text, int32_t token);
  // Tokens that begin at byte `at`, shortest first.
  void FindAt(absl::string_view text, size_t at, std::vector<Candidate>* found) const;
  Decision Decide(const MarkedText& text, size_t at, ByteRange within,
                  const std::vector<Candidate>& found) const;

  std::vector<AddedToken> tokens_;
  bool has_special_ = false;
  // A trie: node 0 is the root, whose edges are in `first_` (0: none), the others in `edges_`.
  std::vector<Node> nodes_ = {Node{}};
  std::array<uint32_t, 256> first_ = {};
  absl::flat_hash_map<uint64_t, uint32_t> edges_;
};

}  // namespace switchboard::text

#endif  // SWITCHBOARD_TEXT_TOKENIZER_ADDED_TOKENS_H_
