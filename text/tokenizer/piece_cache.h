// Remembers where the ids of short pieces stand in the output, so that a word that comes again is
// copied instead of merged.
#ifndef SWITCHBOARD_TEXT_TOKENIZER_PIECE_CACHE_H_
#define SWITCHBOARD_TEXT_TOKENIZER_PIECE_CACHE_H_

#include <array>
#include <cstdint>
#include <cstring>
#include <vector>

#include "absl/strings/string_view.h"

namespace switchboard::text {

// Of fixed size: a newcomer replaces what has its slot. For one output vector. Not thread-safe.
class PieceCache {
 public:
  static constexpr size_t kMaxBytes = 23;  // of a piece; longer ones are not remembered
  struct Slot {
    std::array<char, kMaxBytes + 1> piece;  // filled with zeros; the last byte is the size
    uint32_t begin, count;                  // ids [begin, begin + count) of the output; 0: free
  };

  // Forgets everything and takes 2^bits slots; 0 bits switch the cache off.
  void Reset(int bits) {
    bits_ = bits;
    slots_.assign(bits == 0 ? 0 : size_t{1} << bits, Slot{});
  }

  // The slot of `piece`, or nullptr when the cache is off or the piece is too long. `*hit` says
  // whether it holds this piece; otherwise it has been claimed for it and waits for its ids.
  Slot* Find(absl::string_view piece, bool* hit) {
    if (bits_ == 0 || piece.size() > kMaxBytes) return nullptr;
    std::array<char, kMaxBytes + 1> key = {};
    std::memcpy(key.data(), piece.data(), piece.size());
    key[kMaxBytes] = static_cast<char>(piece.size());
    std::array<uint64_t, 3> words;
    static_assert(sizeof(words) == sizeof(key));
    std::memcpy(words.data(), key.data(), sizeof(words));
    constexpr uint64_t kMix = 0x9E3779B97F4A7C15u;  // 2^64 / golden ratio
    uint64_t hash = words[0] * kMix;
    hash = ((hash ^ hash >> 32) + words[1]) * kMix;
    hash = ((hash ^ hash >> 32) + words[2]) * kMix;
    Slot* slot = &slots_[hash >> (64 - bits_)];
    *hit = slot->count > 0 && slot->piece == key;
    if (!*hit) {
      slot->piece = key;
      slot->count = 0;
    }
    return slot;
  }

 private:
  int bits_ = 0;
  std::vector<Slot> slots_;
};

}  // namespace switchboard::text

#endif  // SWITCHBOARD_TEXT_TOKENIZER_PIECE_CACHE_H_
