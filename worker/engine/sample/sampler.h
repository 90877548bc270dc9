// Chooses the next token of one choice from the model's logits.
#ifndef SWITCHBOARD_WORKER_ENGINE_SAMPLE_SAMPLER_H_
#define SWITCHBOARD_WORKER_ENGINE_SAMPLE_SAMPLER_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "worker/engine/request.h"
#include "worker/engine/sample/penalties.h"
#include "worker/engine/sample/truncation.h"

namespace switchboard::engine {

// Temperatures below it are greedy: the likeliest token, nothing drawn.
inline constexpr float kGreedyBelow = 1e-5f;

// What the choice depends on beside the logits; borrowed for the call.
struct DrawContext {
  const SamplingParams& params;
  absl::Span<const int32_t> penalized_prompt_ids;  // of PenalizedPromptIds
  const OutputCounts& counts;
  absl::Span<const int32_t> masked_ids;  // must not be drawn; below usable_vocab
  int32_t position = 0;                  // index of the drawn token in prompt + output
  int32_t choice = 0;
};

struct Drawn {
  int32_t id = 0;
  TokenLogprobs logprobs;  // filled when params.logprobs
};

// The order of steps: penalties (repetition, frequency, presence), logit_bias, masks, temperature,
// top-k, top-p, min-p, draw. It is the order of vLLM before its V1 engine, except that vLLM adds
// the bias before the penalties; V1 moved min-p in front of top-k. Logprobs are those of the raw
// logits.
//
// Every row is handled alone, in fixed arithmetic, so its token does not depend on the batch. Holds
// scratch memory only; not thread-safe.
class Sampler {
 public:
  // Ids from `usable_vocab` on are rows of the output layer without a token: never drawn.
  explicit Sampler(int usable_vocab) : usable_vocab_(usable_vocab) {}

  // `logits`: the model's row [vocab_size]. Internal, "numerical error": a logit is not finite.
  // REQUIRES: some id below usable_vocab is not masked.
  absl::StatusOr<Drawn> Draw(absl::Span<const float> logits, const DrawContext& context);

 private:
  // The usable logits after penalties, bias and masks; the row itself when nothing changes them.
  absl::Span<const float> Adjusted(absl::Span<const float> logits, const DrawContext& context);

  const int usable_vocab_;
  std::vector<float> scratch_;
  Truncation truncation_;
};

}  // namespace switchboard::engine

#endif  // SWITCHBOARD_WORKER_ENGINE_SAMPLE_SAMPLER_H_
