#include "worker/engine/sample/penalties.h"

#include <algorithm>
#include <cstddef>
#include <limits>

namespace switchboard::engine {
namespace {

// An extreme penalty must not turn a logit into an infinity, which would mean "masked".
float Bounded(float logit) {
  constexpr float kMax = std::numeric_limits<float>::max();
  return std::clamp(logit, -kMax, kMax);
}

float Repeated(float logit, float penalty) {
  return Bounded(logit > 0 ? logit / penalty : logit * penalty);
}

bool Contains(absl::Span<const int32_t> ascending, int32_t id) {
  return std::binary_search(ascending.begin(), ascending.end(), id);
}

}  // namespace

std::vector<int32_t> PenalizedPromptIds(const Request& request) {
  std::vector<int32_t> ids;
  if (request.sampling.repetition_penalty == 1.0f) return ids;
  size_t next = 0;
  for (const PreparedImage& image : request.images) {
    ids.insert(ids.end(), request.prompt_ids.begin() + static_cast<std::ptrdiff_t>(next),
               request.prompt_ids.begin() + image.prompt_offset);
    next = static_cast<size_t>(image.prompt_offset) + static_cast<size_t>(image.tokens);
  }
  ids.insert(ids.end(), request.prompt_ids.begin() + static_cast<std::ptrdiff_t>(next),
             request.prompt_ids.end());
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  return ids;
}

bool NeedsCounts(const SamplingParams& params) {
  return params.repetition_penalty != 1.0f || params.frequency_penalty != 0.0f ||
         params.presence_penalty != 0.0f;
}

bool ChangesLogits(const SamplingParams& params) {
  return NeedsCounts(params) || !params.logit_bias.empty();
}

void AdjustLogits(const SamplingParams& params, absl::Span<const int32_t> penalized_prompt_ids,
                  const OutputCounts& counts, absl::Span<float> logits) {
  const float repetition = params.repetition_penalty;
  if (repetition != 1.0f) {
    for (const int32_t id : penalized_prompt_ids) logits[id] = Repeated(logits[id], repetition);
  }
  // Every id is changed on its own, so the map's order does not matter.
  for (const auto& [id, count] : counts) {
    float logit = logits[id];
    if (repetition != 1.0f && !Contains(penalized_prompt_ids, id)) {
      logit = Repeated(logit, repetition);
    }
    logit -= params.frequency_penalty * static_cast<float>(count);
    logit -= params.presence_penalty;
    logits[id] = Bounded(logit);
  }
  for (const auto& [id, bias] : params.logit_bias) logits[id] = Bounded(logits[id] + bias);
}

}  // namespace switchboard::engine
