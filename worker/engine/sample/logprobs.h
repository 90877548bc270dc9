// Log-probabilities of the raw distribution: the model's logits as they came, before penalties,
// bias, masks, temperature and truncation.
#ifndef SWITCHBOARD_WORKER_ENGINE_SAMPLE_LOGPROBS_H_
#define SWITCHBOARD_WORKER_ENGINE_SAMPLE_LOGPROBS_H_

#include <cstdint>

#include "absl/types/span.h"
#include "worker/engine/request.h"

namespace switchboard::engine {

// ln(sum of e^logit), in double: sixteen sums by index modulo 16, added in ascending order. A
// function of the row alone. REQUIRES: finite logits, at least one.
double LogSumExp(absl::Span<const float> logits);

// Of token `id`, and of the `top` likeliest ids below `usable_vocab`, best first and of equal ones
// the lower id first. All rows of `logits`, also those beyond the usable ones, take part in the
// normalisation, as in the reference implementations. REQUIRES: finite logits.
TokenLogprobs RawLogprobs(absl::Span<const float> logits, int usable_vocab, int32_t id, int top);

}  // namespace switchboard::engine

#endif  // SWITCHBOARD_WORKER_ENGINE_SAMPLE_LOGPROBS_H_
