// Byte-pair encoding of one piece of text: start from single bytes or characters, then repeatedly
// merge the adjacent pair of lowest rank, the leftmost of equals.
#ifndef SWITCHBOARD_TEXT_TOKENIZER_BPE_H_
#define SWITCHBOARD_TEXT_TOKENIZER_BPE_H_

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "text/tokenizer/merge_table.h"
#include "text/tokenizer/piece_cache.h"
#include "text/tokenizer/vocabulary.h"

namespace switchboard::text {

// A token of the vocabulary proper (added tokens are none): the bytes of a piece that it stands
// for.
using BytesAndId = std::pair<std::string, int32_t>;

struct BpeOptions {
  // The token of each byte; -1 for a byte without one.
  std::array<int32_t, 256> byte_ids;
  // Merging starts from characters (SentencePiece). One without a token takes part in merges as
  // LooseCharacter; what is left of them in the end becomes the tokens of their bytes.
  bool from_characters = false;
  // What a byte without a token becomes, with from_characters a character one of whose bytes has
  // none; -1 drops it silently, and its neighbours become adjacent.
  int32_t unknown_id = -1;
  bool fuse_unknown = false;  // a run of such bytes or characters becomes one unknown_id
  // A piece that is a token as a whole is taken as that token, whatever the merges would make of
  // it.
  bool ignore_merges = false;
};

// The symbol of a character that is no token: above all ids.
inline constexpr int32_t LooseCharacter(char32_t character) {
  return kMaxVocabulary + static_cast<int32_t>(character);
}

// Immutable, thread-safe.
class Bpe {
 public:
  // Working memory, reused from piece to piece. One per thread, and per output vector while `cache`
  // is on.
  struct Scratch {
    PieceCache cache;  // off until it is given slots
    std::vector<int32_t> ids;
    std::vector<Merge> merges;
    std::vector<uint32_t> next, previous;
    std::vector<uint64_t> heap;
  };

  // `tokens` are all tokens that are spelt in bytes.
  Bpe(const BpeOptions& options, MergeTable merges, const std::vector<BytesAndId>& tokens);

  // Appends the ids of `piece`, in O(n log n). REQUIRES: `piece` is valid UTF-8 of less than 2^31
  // bytes (any bytes unless from_characters).
  void Encode(absl::string_view piece, Scratch* scratch, std::vector<int32_t>* ids) const;

 private:
  // Encode a piece, or a part of one across whose borders nothing merges: with the cache, without.
  void EncodePart(absl::string_view part, Scratch* scratch, std::vector<int32_t>* ids) const;
  void EncodeNewPart(absl::string_view part, Scratch* scratch, std::vector<int32_t>* ids) const;
  // Sets scratch->ids to the tokens of the single bytes or characters.
  void StartFromBytes(absl::string_view part, Scratch* scratch) const;
  void StartFromCharacters(absl::string_view part, Scratch* scratch) const;
  void AppendSpeltOut(const std::vector<int32_t>& symbols, std::vector<int32_t>* ids) const;
  // Merge scratch->ids to the end. Equal results: one scans all pairs for every merge, which is
  // fastest for the usual piece of a few bytes, the other keeps the pairs in a heap.
  void MergeByScanning(Scratch* scratch) const;
  void MergeByHeap(Scratch* scratch) const;

  BpeOptions options_;
  MergeTable merges_;
  std::vector<int32_t>
      characters_;  // the token of each character up to the highest with one, or -1
  // Whether pieces can be cut before each U+2581 that follows another character: no token has such
  // a place inside.
  bool words_are_parts_ = false;
  // Pieces that encode to one token; most pieces of ordinary text are found here.
  absl::flat_hash_map<std::string, int32_t> whole_;
  size_t longest_whole_ = 0;  // in bytes
};

// A way to make a token of two others.
struct TokenSplit {
  int32_t left, right, result;
};
// Every split of every token into two tokens, in the order of `tokens` and of the places.
std::vector<TokenSplit> AllSplits(const std::vector<BytesAndId>& tokens);

// The merges that make "merge the pair whose concatenation has the lowest id" out of a list of
// tokens (tiktoken's rule): every split of every token into two tokens.
MergeTable MergesByRank(const std::vector<BytesAndId>& tokens);

}  // namespace switchboard::text

#endif  // SWITCHBOARD_TEXT_TOKENIZER_BPE_H_
