#include "worker/engine/stop_tokens.h"

#include <algorithm>

namespace switchboard::engine {
namespace {

bool Has(absl::Span<const int32_t> ascending, int32_t id) {
  return std::binary_search(ascending.begin(), ascending.end(), id);
}

}  // namespace

StopTokens::StopTokens(const SamplingParams& sampling, absl::Span<const int32_t> eos_token_ids) {
  if (!sampling.ignore_eos) eos_.assign(eos_token_ids.begin(), eos_token_ids.end());
  std::sort(eos_.begin(), eos_.end());
  ids_ = eos_;
  ids_.insert(ids_.end(), sampling.stop_token_ids.begin(), sampling.stop_token_ids.end());
  std::sort(ids_.begin(), ids_.end());
  ids_.erase(std::unique(ids_.begin(), ids_.end()), ids_.end());
}

bool StopTokens::Contains(int32_t id) const { return Has(ids_, id); }

bool StopTokens::Requested(int32_t id) const { return Has(ids_, id) && !Has(eos_, id); }

}  // namespace switchboard::engine
