// The merges of a SentencePiece vocabulary, which has scores in their place.
#ifndef SWITCHBOARD_TEXT_TOKENIZER_SCORE_MERGES_H_
#define SWITCHBOARD_TEXT_TOKENIZER_SCORE_MERGES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "text/tokenizer/merge_table.h"

namespace switchboard::text {

struct ScoredPiece {
  std::string text;  // valid UTF-8
  int32_t id = -1;
  float score = 0;
};

// The table that makes "merge the adjacent pair whose concatenation is the piece of the highest
// score" (SentencePiece, bpe_model.cc): every split of every piece into two, each of which is a
// piece or a single character (LooseCharacter when it is no piece). Scores are not NaN.
MergeTable MergesByScore(const std::vector<ScoredPiece>& pieces);

}  // namespace switchboard::text

#endif  // SWITCHBOARD_TEXT_TOKENIZER_SCORE_MERGES_H_
