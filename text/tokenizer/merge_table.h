// Which two adjacent tokens merge into which, and how early: the inner loop of byte-pair encoding
// looks this up for every pair of symbols, so it is one flat array with open addressing.
#ifndef SWITCHBOARD_TEXT_TOKENIZER_MERGE_TABLE_H_
#define SWITCHBOARD_TEXT_TOKENIZER_MERGE_TABLE_H_

#include <bit>
#include <cstdint>
#include <vector>

#include "base/check.h"

namespace switchboard::text {

// Rank in the upper half, resulting token in the lower: the smaller rank merges first.
using Merge = uint64_t;
inline constexpr Merge kNoMerge = ~uint64_t{0};

inline Merge MakeMerge(uint32_t rank, int32_t result) {
  return uint64_t{rank} << 32 | static_cast<uint32_t>(result);
}
inline uint32_t MergeRank(Merge merge) { return static_cast<uint32_t>(merge >> 32); }
inline int32_t MergeResult(Merge merge) { return static_cast<int32_t>(merge & 0xFFFFFFFF); }

// Of fixed capacity. Writing is single-threaded; afterwards it is immutable and thread-safe.
class MergeTable {
 public:
  // Room for `capacity` pairs.
  explicit MergeTable(size_t capacity)
      : capacity_(capacity), slots_(std::bit_ceil(2 * capacity + 1)) {
    shift_ = 64 - std::countr_zero(slots_.size());
  }

  // A pair that is already there gets the new merge. REQUIRES: symbols are >= 0, merge != kNoMerge.
  void Insert(int32_t left, int32_t right, Merge merge) {
    Slot& slot = slots_[Locate(Key(left, right))];
    if (slot.key == kFree) CHECK(size_++ < capacity_);
    slot = {Key(left, right), merge};
  }

  // kNoMerge when the pair does not merge.
  Merge Find(int32_t left, int32_t right) const { return slots_[Locate(Key(left, right))].merge; }

 private:
  static constexpr uint64_t kFree = ~uint64_t{0};
  struct Slot {
    uint64_t key = kFree;
    Merge merge = kNoMerge;
  };

  static uint64_t Key(int32_t left, int32_t right) {
    return uint64_t{static_cast<uint32_t>(left)} << 32 | static_cast<uint32_t>(right);
  }
  // The slot that holds `key`, or the free one where it belongs; half of all slots are free.
  size_t Locate(uint64_t key) const {
    const size_t mask = slots_.size() - 1;
    const uint64_t mixed = (key ^ key >> 29) * 0x9E3779B97F4A7C15u;  // 2^64 / golden ratio
    size_t at = shift_ == 64 ? 0 : static_cast<size_t>(mixed >> shift_);
    while (slots_[at].key != kFree && slots_[at].key != key) at = (at + 1) & mask;
    return at;
  }

  size_t capacity_, size_ = 0;
  std::vector<Slot> slots_;  // a power of two of them
  int shift_;                // keeps the upper bits of the product, as many as an index has
};

}  // namespace switchboard::text

#endif  // SWITCHBOARD_TEXT_TOKENIZER_MERGE_TABLE_H_
