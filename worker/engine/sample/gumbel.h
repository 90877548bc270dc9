// Gumbel-max sampling: adding independent Gumbel noise to the scaled logits and taking the greatest
// draws from their softmax. With a counter-based generator the noise of a token id at a place is
// fixed, so the drawn token is a pure function of (logits, temperature, place): it needs no state,
// and any worker finds the same one.
#ifndef SWITCHBOARD_WORKER_ENGINE_SAMPLE_GUMBEL_H_
#define SWITCHBOARD_WORKER_ENGINE_SAMPLE_GUMBEL_H_

#include <cstdint>

#include "absl/types/span.h"

namespace switchboard::engine {

// Where a token is drawn. Token id t at this place has the noise of lane t % 4 of the Philox block
// with counter (t / 4, position, choice, 0) and key seed (low word first).
struct DrawPlace {
  uint64_t seed = 0;
  int32_t position = 0;  // index of the drawn token in prompt + output
  int32_t choice = 0;
};

// -ln(-ln u) with u = (bits + 1/2) / 2^32, which is never 0 or 1: between -3.14 and 22.88. FixedLog
// twice.
double Gumbel(uint32_t bits);

// The id with the greatest logits[id] / temperature + noise; of equal ones the lowest. Ids with a
// logit of -infinity are never drawn; -1 when there are no others. REQUIRES: temperature > 0, no
// NaN.
int32_t DrawFromAll(absl::Span<const float> logits, double temperature, const DrawPlace& place);

// The same among `ids` only, which ascend; the logit of ids[i] is logits[ids[i]].
int32_t DrawFrom(absl::Span<const int32_t> ids, absl::Span<const float> logits, double temperature,
                 const DrawPlace& place);

}  // namespace switchboard::engine

#endif  // SWITCHBOARD_WORKER_ENGINE_SAMPLE_GUMBEL_H_
