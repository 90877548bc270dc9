#include "text/tokenizer/score_merges.h"

#include <algorithm>
#include <functional>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "base/utf8.h"
#include "text/tokenizer/bpe.h"

namespace switchboard::text {
namespace {

// Rank of each piece: equal scores have equal ranks.
std::vector<uint32_t> Ranks(const std::vector<ScoredPiece>& pieces) {
  std::vector<float> scores;
  for (const ScoredPiece& piece : pieces) scores.push_back(piece.score);
  std::sort(scores.begin(), scores.end(), std::greater<>());
  scores.erase(std::unique(scores.begin(), scores.end()), scores.end());
  std::vector<uint32_t> ranks;
  for (const ScoredPiece& piece : pieces) {
    const auto at = std::lower_bound(scores.begin(), scores.end(), piece.score, std::greater<>());
    ranks.push_back(static_cast<uint32_t>(at - scores.begin()));
  }
  return ranks;
}

}  // namespace

MergeTable MergesByScore(const std::vector<ScoredPiece>& pieces) {
  absl::flat_hash_map<absl::string_view, int32_t> ids;
  for (const ScoredPiece& piece : pieces) ids.try_emplace(piece.text, piece.id);
  // The symbol that `text` is, or -1.
  const auto symbol = [&](absl::string_view text) {
    const auto found = ids.find(text);
    if (found != ids.end()) return found->second;
    const Utf8Unit unit = DecodeUtf8(text);
    return unit.bytes == text.size() ? LooseCharacter(unit.code_point) : -1;
  };
  struct Found {
    int32_t left, right;
    Merge merge;
  };
  std::vector<Found> found;
  const std::vector<uint32_t> ranks = Ranks(pieces);
  for (size_t i = 0; i < pieces.size(); ++i) {
    const absl::string_view text = pieces[i].text;
    for (size_t cut = 0; (cut += DecodeUtf8(text.substr(cut)).bytes) < text.size();) {
      const int32_t left = symbol(text.substr(0, cut)), right = symbol(text.substr(cut));
      if (left >= 0 && right >= 0) {
        found.push_back({left, right, MakeMerge(ranks[i], pieces[i].id)});
      }
    }
  }
  MergeTable merges(found.size());
  for (const Found& f : found) merges.Insert(f.left, f.right, f.merge);
  return merges;
}

}  // namespace switchboard::text
