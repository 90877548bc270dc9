// Sizes that an engine is started with.
#ifndef SWITCHBOARD_WORKER_ENGINE_OPTIONS_H_
#define SWITCHBOARD_WORKER_ENGINE_OPTIONS_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "worker/model/model.h"

namespace switchboard::engine {

struct EngineOptions {
  // Choices computed at once.
  int max_running = 32;
  // Requests that wait for their start; one more is refused.
  int max_waiting = 256;
  // Tokens of one forward pass over all choices; at least max_running.
  int max_batched_tokens = 512;
  // Pages of the KV cache, of model::kPageTokens tokens each; at least one sequence of
  // max_model_len.
  int kv_pages = 0;
  // Prompt and output together, per choice; at most the model's max_positions.
  int max_model_len = 0;
  // Ids of the tokenizer: [0, usable_vocab). Rows of the output layer beyond it are padding and
  // never chosen.
  int usable_vocab = 0;
  // The model's end tokens.
  std::vector<int32_t> eos_token_ids;
};

// InvalidArgument: a value is out of range for this model; the message names it.
absl::Status ValidateOptions(const EngineOptions& options, const model::ModelShape& shape);

}  // namespace switchboard::engine

#endif  // SWITCHBOARD_WORKER_ENGINE_OPTIONS_H_
