#include "worker/engine/sample/sampler.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <limits>

#include "absl/status/status.h"
#include "base/check.h"
#include "worker/engine/sample/greatest.h"
#include "worker/engine/sample/gumbel.h"
#include "worker/engine/sample/logprobs.h"

namespace switchboard::engine {
namespace {

// On the bits, so that the loop has no branch and becomes vector code.
bool AllFinite(absl::Span<const float> logits) {
  constexpr uint32_t kExponent = 0x7F800000;
  uint32_t bad = 0;
  for (const float logit : logits) {
    bad |= static_cast<uint32_t>((std::bit_cast<uint32_t>(logit) & kExponent) == kExponent);
  }
  return bad == 0;
}

// The lowest id with the greatest logit.
int32_t Argmax(absl::Span<const float> logits) {
  const auto* const found = std::find(logits.begin(), logits.end(), Greatest(logits));
  return static_cast<int32_t>(found - logits.begin());
}

}  // namespace

absl::Span<const float> Sampler::Adjusted(absl::Span<const float> logits,
                                          const DrawContext& context) {
  const absl::Span<const float> usable = logits.subspan(0, usable_vocab_);
  if (!ChangesLogits(context.params) && context.masked_ids.empty()) return usable;
  scratch_.assign(usable.begin(), usable.end());
  AdjustLogits(context.params, context.penalized_prompt_ids, context.counts,
               absl::MakeSpan(scratch_));
  for (const int32_t id : context.masked_ids) {
    scratch_[id] = -std::numeric_limits<float>::infinity();
  }
  return scratch_;
}

absl::StatusOr<Drawn> Sampler::Draw(absl::Span<const float> logits, const DrawContext& context) {
  if (!AllFinite(logits)) {
    return absl::InternalError("numerical error: the model's logits are not finite");
  }
  const SamplingParams& params = context.params;
  const absl::Span<const float> adjusted = Adjusted(logits, context);
  Drawn drawn;
  if (params.temperature < kGreedyBelow) {
    drawn.id = Argmax(adjusted);
  } else {
    const DrawPlace place{params.seed, context.position, context.choice};
    const double temperature = params.temperature;
    drawn.id = Truncates(params) ? DrawFrom(truncation_.Survivors(adjusted, temperature, params),
                                            adjusted, temperature, place)
                                 : DrawFromAll(adjusted, temperature, place);
  }
  CHECK(drawn.id >= 0);
  if (params.logprobs) {
    drawn.logprobs = RawLogprobs(logits, usable_vocab_, drawn.id, params.top_logprobs);
  }
  return drawn;
}

}  // namespace switchboard::engine
