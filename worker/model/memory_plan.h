// Whether a model fits, decided from its config and headers before anything is loaded.
#ifndef SWITCHBOARD_WORKER_MODEL_MEMORY_PLAN_H_
#define SWITCHBOARD_WORKER_MODEL_MEMORY_PLAN_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "worker/model/config.h"

namespace switchboard::model {

// Bytes of each kind that serving takes, and what they are taken from.
struct MemoryPlan {
  int64_t budget = 0;
  int64_t weights = 0;
  int64_t activations = 0;
  int64_t kv_page_bytes = 0;
  int kv_pages = 0;
  int max_model_len = 0;  // tokens of the longest sequence
  int vocab_size = 0;     // rows of the output layer

  int64_t kv_bytes() const { return kv_page_bytes * kv_pages; }
  // "weights 7.1 MiB, activations 20.0 MiB, KV cache 1.0 GiB (524288 tokens) of 12.0 GiB".
  std::string Describe() const;
};

struct MemoryNeeds {
  int64_t weights = 0, activations = 0, kv_page_bytes = 0;
  int max_positions = 0;  // of the model
  int vocab_size = 0;     // of the model; only passed on
};

// What the flags say; 0 leaves the choice to the plan.
struct MemoryLimits {
  int64_t budget = 0;  // all of it
  // --kv-cache-memory; 0: what max_sequences full sequences take, as far as it fits.
  int64_t kv_cache_bytes = 0;
  int max_model_len = 0;  // --max-model-len; 0: the model's own
  int max_sequences = 1;  // --max-num-seqs
};

// ResourceExhausted or InvalidArgument names the flag to change and a value that would do.
absl::StatusOr<MemoryPlan> PlanMemory(const MemoryNeeds& needs, const MemoryLimits& limits);

// Most bytes of activations that a step of `tokens` tokens takes.
int64_t TextActivationBytes(const TextConfig& config, int64_t tokens);
// The logits of a step for so many sequences, with the rows that they are made from.
int64_t LogitBytes(const TextConfig& config, int64_t sequences);
// Most that the encoding of an image of `image_tokens` takes.
int64_t VisionActivationBytes(const VisionConfig& config, int64_t image_tokens);

// "1.5 GiB".
std::string BytesText(int64_t bytes);

}  // namespace switchboard::model

#endif  // SWITCHBOARD_WORKER_MODEL_MEMORY_PLAN_H_
