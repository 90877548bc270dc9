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

// Holds scratch memory only; not thread-safe.
class Truncation {
 public:
  // The ids left, ascending; never none if any logit is finite. Valid until the next call. An id
  // with a logit of -infinity is out beforehand. With p = softmax(logits / temperature) and ranks
  // by logit (of equal ones the lower id first), one after the other:
  //   top_k: the first k ranks;
  //   top_p: the shortest run of first ranks whose share of what is left reaches top_p, at least
  //     one;
  //   min_p: of these, the ones with p >= min_p * (greatest p).
  // All sums in double, in an order that depends on the logits alone. REQUIRES: temperature > 0, no
  // NaN, at least one logit.
  absl::Span<const int32_t> Survivors(absl::Span<const float> logits, double temperature,
                                      const SamplingParams& params);

 private:
  void KeepTopP(absl::Span<const float> logits, double top_p);

  std::vector<int32_t> ids_;
  std::vector<double> weights_;  // of ids_: p up to a common factor, 1 for the likeliest
  std::vector<int32_t> ranked_;
};

}  // namespace switchboard::engine

#endif  // SWITCHBOARD_WORKER_ENGINE_SAMPLE_TRUNCATION_H_
