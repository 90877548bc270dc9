// Changes to the logits that depend on what was written so far, and the client's bias.
#ifndef SWITCHBOARD_WORKER_ENGINE_SAMPLE_PENALTIES_H_
#define SWITCHBOARD_WORKER_ENGINE_SAMPLE_PENALTIES_H_

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "worker/engine/request.h"

namespace switchboard::engine {

// How often each token stands in a choice's output.
using OutputCounts = absl::flat_hash_map<int32_t, int32_t>;

// The distinct ids of a prompt, ascending, without the placeholders of images (their ids say
// nothing about the text). Empty when `params` needs none: only the repetition penalty looks at the
// prompt.
std::vector<int32_t> PenalizedPromptIds(const Request& request);

// True when the parameters look at the output, so that its tokens must be counted.
bool NeedsCounts(const SamplingParams& params);
// True when AdjustLogits would change anything.
bool ChangesLogits(const SamplingParams& params);

// In this order, in float:
//  - repetition_penalty r, once for each id in prompt or output: a positive logit is divided by r,
//    another is multiplied (Keskar et al. 2019, CTRL);
//  - frequency_penalty times the number of occurrences in the output is subtracted;
//  - presence_penalty is subtracted if there is one;
//  - logit_bias is added.
// Results stay finite. `logits` covers every id that occurs.
void AdjustLogits(const SamplingParams& params, absl::Span<const int32_t> penalized_prompt_ids,
                  const OutputCounts& counts, absl::Span<float> logits);

}  // namespace switchboard::engine

#endif  // SWITCHBOARD_WORKER_ENGINE_SAMPLE_PENALTIES_H_
