// Which tokens may be drawn at all: top-k, top-p, min-p.
#ifndef SWITCHBOARD_WORKER_ENGINE_SAMPLE_TRUNCATION_H_
#define SWITCHBOARD_WORKER_ENGINE_SAMPLE_TRUNCATION_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "worker/engine/request.h"

namespace switchboard::engine {

// True when top_k, top_p or min_p can take tokens away.
bool Truncates(const SamplingParams& params);

// The ids left, ascending; never none if any logit is finite. An id with a logit of -infinity is
// out beforehand. With p = softmax(logits / temperature) and ranks by logit (of equal ones the
// lower id first):
//  1. top_k: the first k ranks;
//  2. top_p: the shortest run of first ranks whose share of what is left reaches top_p, at least
//  one;
//  3. min_p: of these, the ones with p >= min_p * (greatest p).
// All sums in double, over ascending ids (or ranks, after top_k). REQUIRES: temperature > 0, no
// NaN.
std::vector<int32_t> Survivors(absl::Span<const float> logits, double temperature,
                               const SamplingParams& params);

}  // namespace switchboard::engine

#endif  // SWITCHBOARD_WORKER_ENGINE_SAMPLE_TRUNCATION_H_
