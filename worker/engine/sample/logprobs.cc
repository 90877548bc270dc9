#include "worker/engine/sample/logprobs.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

#include "base/fixed_math.h"
#include "worker/engine/sample/greatest.h"

namespace switchboard::engine {
namespace {

// The ids of the `count` greatest logits in order; of equal ones the lower id first. Almost every
// id fails the first comparison, so this is one quick pass.
std::vector<int32_t> Best(absl::Span<const float> logits, size_t count) {
  std::vector<int32_t> best;
  if (count == 0) return best;
  for (size_t id = 0; id < logits.size(); ++id) {
    const float logit = logits[id];
    if (best.size() == count) {
      if (!(logit > logits[best.back()])) continue;
      best.pop_back();
    }
    const auto place = std::upper_bound(best.begin(), best.end(), logit,
                                        [&](float a, int32_t b) { return a > logits[b]; });
    best.insert(place, static_cast<int32_t>(id));
  }
  return best;
}

}  // namespace

double LogSumExp(absl::Span<const float> logits) {
  constexpr size_t kLanes = 16;
  const double greatest = Greatest(logits);
  double sums[kLanes] = {};
  size_t i = 0;
  for (; i + kLanes <= logits.size(); i += kLanes) {
    for (size_t lane = 0; lane < kLanes; ++lane) {
      sums[lane] += FixedExp(logits[i + lane] - greatest);
    }
  }
  for (; i < logits.size(); ++i) sums[i % kLanes] += FixedExp(logits[i] - greatest);
  return greatest + FixedLog(std::accumulate(sums, sums + kLanes, 0.0));
}

TokenLogprobs RawLogprobs(absl::Span<const float> logits, int usable_vocab, int32_t id, int top) {
  const double normaliser = LogSumExp(logits);
  const auto logprob = [&](int32_t token) {
    return static_cast<float>(logits[token] - normaliser);
  };
  TokenLogprobs result;
  result.logprob = logprob(id);
  for (const int32_t token : Best(logits.subspan(0, usable_vocab), static_cast<size_t>(top))) {
    result.top.emplace_back(token, logprob(token));
  }
  return result;
}

}  // namespace switchboard::engine
