// The tokens that end a choice.
#ifndef SWITCHBOARD_WORKER_ENGINE_STOP_TOKENS_H_
#define SWITCHBOARD_WORKER_ENGINE_STOP_TOKENS_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "worker/engine/request.h"

namespace switchboard::engine {

// Union of the model's end tokens (unless ignore_eos) and the request's stop_token_ids. Immutable.
class StopTokens {
 public:
  StopTokens(const SamplingParams& sampling, absl::Span<const int32_t> eos_token_ids);

  bool Contains(int32_t id) const;
  // True when the id stops only because the request names it.
  bool Requested(int32_t id) const;
  // All of them, ascending: what is masked below min_tokens.
  absl::Span<const int32_t> ids() const { return ids_; }

 private:
  std::vector<int32_t> eos_;  // those that apply, ascending
  std::vector<int32_t> ids_;
};

}  // namespace switchboard::engine

#endif  // SWITCHBOARD_WORKER_ENGINE_STOP_TOKENS_H_
