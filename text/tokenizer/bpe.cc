#include "text/tokenizer/bpe.h"

#include <algorithm>
#include <functional>
#include <numeric>

#include "absl/strings/match.h"
#include "base/check.h"
#include "base/utf8.h"

namespace switchboard::text {
namespace {

// Pieces of up to this many symbols are merged by scanning; the heap wins from some 300 on
// (measured).
constexpr size_t kScanned = 256;

constexpr absl::string_view kSpace = "\u2581";  // SentencePiece's space

// Where the first word of `text` ends, which is not empty: before the first space that follows
// something else.
size_t WordEnd(absl::string_view text) {
  size_t at = 0;
  while (absl::StartsWith(text.substr(at), kSpace)) at += kSpace.size();
  return std::min(text.find(kSpace, at), text.size());
}

// Whether no token holds the end of a word inside. The space must be a token itself, or else it
// could lie within a run of unknown characters that becomes one token.
bool WordsAreParts(const std::vector<BytesAndId>& tokens) {
  bool space_is_token = false;
  for (const auto& [bytes, id] : tokens) {
    if (bytes == kSpace) space_is_token = true;
    if (!bytes.empty() && WordEnd(bytes) < bytes.size()) return false;
  }
  return space_is_token;
}

// Merges in the order of their ranks; equal ranks leave the order to the place.
bool MergesBefore(Merge a, Merge b) { return MergeRank(a) < MergeRank(b); }

}  // namespace

Bpe::Bpe(const BpeOptions& options, MergeTable merges, const std::vector<BytesAndId>& tokens)
    : options_(options), merges_(std::move(merges)) {
  if (options_.from_characters) {
    for (const auto& [bytes, id] : tokens) {
      const Utf8Unit unit = DecodeUtf8(bytes);
      if (unit.kind != Utf8Unit::kCodePoint || unit.bytes != bytes.size()) continue;
      if (unit.code_point >= characters_.size()) characters_.resize(unit.code_point + 1, -1);
      int32_t& character = characters_[unit.code_point];
      if (character < 0) character = id;  // of doubled texts the first counts, as in merges
    }
    words_are_parts_ = !options_.ignore_merges && WordsAreParts(tokens);
  }
  Scratch scratch;
  std::vector<int32_t> ids;
  whole_.reserve(tokens.size());
  for (const auto& [bytes, id] : tokens) {
    if (!options_.ignore_merges) {
      // Only a token that the merges reach from its own bytes is what its bytes encode to. (whole_
      // holds such tokens only, so using it while it grows changes nothing.)
      if (options_.from_characters && !IsValidUtf8(bytes)) continue;
      ids.clear();
      Encode(bytes, &scratch, &ids);
      if (ids.size() != 1 || ids[0] != id) continue;
    }
    whole_.try_emplace(bytes, id);
    longest_whole_ = std::max(longest_whole_, bytes.size());
  }
}

void Bpe::Encode(absl::string_view piece, Scratch* scratch, std::vector<int32_t>* ids) const {
  CHECK(piece.size() < size_t{1} << 31);
  while (words_are_parts_ && !piece.empty()) {
    const size_t end = WordEnd(piece);
    if (end == piece.size()) break;
    EncodePart(piece.substr(0, end), scratch, ids);
    piece.remove_prefix(end);
  }
  EncodePart(piece, scratch, ids);
}

void Bpe::EncodePart(absl::string_view part, Scratch* scratch, std::vector<int32_t>* ids) const {
  bool hit = false;
  PieceCache::Slot* slot = scratch->cache.Find(part, &hit);
  const size_t begin = ids->size();
  if (hit) {
    ids->resize(begin + slot->count);
    std::copy_n(ids->begin() + slot->begin, slot->count,
                ids->begin() + static_cast<ptrdiff_t>(begin));
    return;
  }
  EncodeNewPart(part, scratch, ids);
  if (slot != nullptr) {
    slot->begin = static_cast<uint32_t>(begin);
    slot->count = static_cast<uint32_t>(ids->size() - begin);
  }
}

void Bpe::EncodeNewPart(absl::string_view part, Scratch* scratch, std::vector<int32_t>* ids) const {
  if (part.size() <= longest_whole_) {
    if (const auto found = whole_.find(part); found != whole_.end()) {
      ids->push_back(found->second);
      return;
    }
  }
  if (options_.from_characters) {
    StartFromCharacters(part, scratch);
  } else {
    StartFromBytes(part, scratch);
  }
  if (scratch->ids.size() <= kScanned) {
    MergeByScanning(scratch);
  } else {
    MergeByHeap(scratch);
  }
  if (options_.from_characters) {
    AppendSpeltOut(scratch->ids, ids);
  } else {
    ids->insert(ids->end(), scratch->ids.begin(), scratch->ids.end());
  }
}

void Bpe::StartFromBytes(absl::string_view part, Scratch* scratch) const {
  scratch->ids.clear();
  bool after_unknown = false;
  for (const char c : part) {
    const int32_t id = options_.byte_ids[static_cast<unsigned char>(c)];
    if (id >= 0) {
      scratch->ids.push_back(id);
    } else if (options_.unknown_id >= 0 && !(after_unknown && options_.fuse_unknown)) {
      scratch->ids.push_back(options_.unknown_id);
    }
    after_unknown = id < 0;
  }
}

void Bpe::StartFromCharacters(absl::string_view part, Scratch* scratch) const {
  scratch->ids.clear();
  while (!part.empty()) {
    const Utf8Unit unit = DecodeUtf8(part);
    const size_t character = unit.code_point;
    const int32_t id = character < characters_.size() ? characters_[character] : -1;
    scratch->ids.push_back(id >= 0 ? id : LooseCharacter(unit.code_point));
    part.remove_prefix(unit.bytes);
  }
}

void Bpe::AppendSpeltOut(const std::vector<int32_t>& symbols, std::vector<int32_t>* ids) const {
  bool after_unknown = false;
  std::string bytes;
  for (const int32_t symbol : symbols) {
    if (symbol < LooseCharacter(0)) {
      ids->push_back(symbol);
      after_unknown = false;
      continue;
    }
    bytes.clear();
    AppendUtf8(static_cast<char32_t>(symbol - LooseCharacter(0)), &bytes);
    const bool known = std::all_of(bytes.begin(), bytes.end(), [&](char byte) {
      return options_.byte_ids[static_cast<unsigned char>(byte)] >= 0;
    });
    if (known) {
      for (const char byte : bytes) {
        ids->push_back(options_.byte_ids[static_cast<unsigned char>(byte)]);
      }
    } else if (options_.unknown_id >= 0 && !(after_unknown && options_.fuse_unknown)) {
      ids->push_back(options_.unknown_id);
    }
    after_unknown = !known;
  }
}

void Bpe::MergeByScanning(Scratch* scratch) const {
  int32_t* const ids = scratch->ids.data();
  size_t n = scratch->ids.size();
  Merge merges[kScanned];  // of (i, i + 1)
  for (size_t i = 0; i + 1 < n; ++i) merges[i] = merges_.Find(ids[i], ids[i + 1]);
  while (n > 1) {
    const size_t at =
        static_cast<size_t>(std::min_element(merges, merges + n - 1, MergesBefore) - merges);
    if (merges[at] == kNoMerge) break;
    ids[at] = MergeResult(merges[at]);
    std::copy(ids + at + 2, ids + n, ids + at + 1);
    if (at + 2 < n) std::copy(merges + at + 2, merges + n - 1, merges + at + 1);
    --n;
    if (at + 1 < n) merges[at] = merges_.Find(ids[at], ids[at + 1]);
    if (at > 0) merges[at - 1] = merges_.Find(ids[at - 1], ids[at]);
  }
  scratch->ids.resize(n);
}

// The symbols form a linked list; `merges` holds the current merge of each symbol with its
// successor. The heap holds (rank, position) pairs, and one that disagrees with `merges` is out of
// date.
void Bpe::MergeByHeap(Scratch* scratch) const {
  std::vector<int32_t>& ids = scratch->ids;
  std::vector<Merge>& merges = scratch->merges;
  std::vector<uint32_t>&next = scratch->next, &previous = scratch->previous;
  std::vector<uint64_t>& heap = scratch->heap;
  const uint32_t n = static_cast<uint32_t>(ids.size());
  merges.assign(n, kNoMerge);
  next.resize(n);
  std::iota(next.begin(), next.end(), 1u);
  previous.resize(n);
  std::iota(previous.begin(), previous.end(), ~0u);  // none before the first
  heap.clear();
  const auto refresh = [&](uint32_t at) {
    merges[at] = next[at] < n ? merges_.Find(ids[at], ids[next[at]]) : kNoMerge;
    if (merges[at] != kNoMerge) heap.push_back(uint64_t{MergeRank(merges[at])} << 32 | at);
    return merges[at] != kNoMerge;
  };
  for (uint32_t i = 0; i < n; ++i) refresh(i);
  std::make_heap(heap.begin(), heap.end(), std::greater<>());
  while (!heap.empty()) {
    std::pop_heap(heap.begin(), heap.end(), std::greater<>());
    const uint64_t top = heap.back();
    heap.pop_back();
    const uint32_t at = static_cast<uint32_t>(top & 0xFFFFFFFF);
    if (merges[at] == kNoMerge || MergeRank(merges[at]) != top >> 32) continue;
    ids[at] = MergeResult(merges[at]);
    const uint32_t absorbed = next[at];
    merges[absorbed] = kNoMerge;
    next[at] = next[absorbed];
    if (next[at] < n) previous[next[at]] = at;
    if (refresh(at)) std::push_heap(heap.begin(), heap.end(), std::greater<>());
    if (at > 0 && refresh(previous[at])) std::push_heap(heap.begin(), heap.end(), std::greater<>());
  }
  uint32_t kept = 0;
  for (uint32_t i = 0; i < n; i = next[i]) ids[kept++] = ids[i];
  ids.resize(kept);
}

std::vector<TokenSplit> AllSplits(const std::vector<BytesAndId>& tokens) {
  absl::flat_hash_map<absl::string_view, int32_t> ids;
  ids.reserve(tokens.size());
  for (const auto& [bytes, id] : tokens) ids.try_emplace(bytes, id);
  std::vector<TokenSplit> splits;
  for (const auto& [bytes, id] : tokens) {
    const absl::string_view all = bytes;
    for (size_t cut = 1; cut < all.size(); ++cut) {
      const auto left = ids.find(all.substr(0, cut)), right = ids.find(all.substr(cut));
      if (left != ids.end() && right != ids.end()) {
        splits.push_back({left->second, right->second, id});
      }
    }
  }
  return splits;
}

MergeTable MergesByRank(const std::vector<BytesAndId>& tokens) {
  const std::vector<TokenSplit> splits = AllSplits(tokens);
  MergeTable merges(splits.size());
  for (const TokenSplit& split : splits) {
    merges.Insert(split.left, split.right,
                  MakeMerge(static_cast<uint32_t>(split.result), split.result));
  }
  return merges;
}

}  // namespace switchboard::text
