#include "worker/engine/sample/logprobs.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

#include "worker/engine/sample/fixed_math.h"

namespace switchboard::engine {

double LogSumExp(absl::Span<const float> logits) {
  constexpr size_t kLanes = 16;
  const double greatest = *std::max_element(logits.begin(), logits.end());
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
  std::vector<int32_t> best(std::min(top, usable_vocab));
  if (best.empty()) return result;
  std::vector<int32_t> ids(usable_vocab);
  std::iota(ids.begin(), ids.end(), 0);
  std::partial_sort_copy(
      ids.begin(), ids.end(), best.begin(), best.end(),
      [&](int32_t a, int32_t b) { return logits[a] != logits[b] ? logits[a] > logits[b] : a < b; });
  for (const int32_t token : best) result.top.emplace_back(token, logprob(token));
  return result;
}

}  // namespace switchboard::engine
