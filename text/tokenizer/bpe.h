// Byte-pair encoding of one piece of text: start from single bytes, then repeatedly merge the
// adjacent pair of lowest rank, the leftmost of equals.
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

namespace switchboard::text {

// A token of the vocabulary proper (added tokens are none): the bytes it stands for.
using BytesAndId = std::pair<std::string, int32_t>;

struct BpeOptions {
  // The token of each byte; -1 for a byte without one.
  std::array<int32_t, 256> byte_ids;
  // What a byte without a token becomes; -1 drops it silently, and its neighbours become adjacent.
  int32_t unknown_id = -1;
  bool fuse_unknown = false;  // a run of such bytes becomes one unknown_id
  // A piece that is a token as a whole is taken as that token, whatever the merges would make of
  // it.
  bool ignore_merges = false;
};

// Immutable, thread-safe.
class Bpe {
 public:
  // Working memory, reused from piece to piece. One per thread.
  struct Scratch {
    std::vector<int32_t> ids;
    std::vector<Merge> merges;
    std::vector<uint32_t> next, previous;
    std::vector<uint64_t> heap;
  };

  // `tokens` are all tokens that are spelt in bytes.
  Bpe(const BpeOptions& options, MergeTable merges, const std::vector<BytesAndId>& tokens);

  // Appends the ids of `piece`, in O(n log n). REQUIRES: piece.size() < 2^31.
  void Encode(absl::string_view piece, Scratch* scratch, std::vector<int32_t>* ids) const;

 private:
  // Sets scratch->ids to the tokens of the single bytes.
  void Start(absl::string_view piece, Scratch* scratch) const;
  // Merge scratch->ids to the end. Equal results: one scans all pairs for every merge, which is
  // fastest for the usual piece of a few bytes, the other keeps the pairs in a heap.
  void MergeByScanning(Scratch* scratch) const;
  void MergeByHeap(Scratch* scratch) const;

  BpeOptions options_;
  MergeTable merges_;
  // Pieces that encode to one token; most pieces of ordinary text are found here.
  absl::flat_hash_map<std::string, int32_t> whole_;
  size_t longest_whole_ = 0;  // in bytes
};

// The merges that make "merge the pair whose concatenation has the lowest id" out of a list of
// tokens (tiktoken's rule): every split of every token into two tokens.
MergeTable MergesByRank(const std::vector<BytesAndId>& tokens);

}  // namespace switchboard::text

#endif  // SWITCHBOARD_TEXT_TOKENIZER_BPE_H_
