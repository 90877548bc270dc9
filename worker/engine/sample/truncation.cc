#include "worker/engine/sample/truncation.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <limits>

#include "worker/engine/sample/fixed_math.h"

namespace switchboard::engine {
namespace {

// The order of ranks.
struct Likelier {
  absl::Span<const float> logits;
  bool operator()(int32_t a, int32_t b) const {
    return logits[a] != logits[b] ? logits[a] > logits[b] : a < b;
  }
};

std::vector<int32_t> UnmaskedIds(absl::Span<const float> logits) {
  std::vector<int32_t> ids;
  ids.reserve(logits.size());
  for (size_t id = 0; id < logits.size(); ++id) {
    if (logits[id] > -std::numeric_limits<float>::infinity()) {
      ids.push_back(static_cast<int32_t>(id));
    }
  }
  return ids;
}

void KeepTopK(const Likelier& likelier, int k, std::vector<int32_t>* ids) {
  if (k <= 0 || static_cast<size_t>(k) >= ids->size()) return;
  std::partial_sort(ids->begin(), ids->begin() + k, ids->end(), likelier);
  ids->resize(k);
}

// e^((logit - greatest) / temperature): p up to a common factor, 1 for the likeliest.
struct Weight {
  float greatest;
  double scale;
  double operator()(float logit) const {
    return FixedExp((static_cast<double>(logit) - greatest) * scale);
  }
};

void KeepTopP(const Likelier& likelier, const Weight& weight, double top_p,
              std::vector<int32_t>* ids) {
  std::vector<double> weights(ids->size());
  double total = 0;
  for (size_t i = 0; i < ids->size(); ++i) {
    weights[i] = weight(likelier.logits[(*ids)[i]]);
    total += weights[i];
  }
  // Ids lighter than `light` weigh less than (1 - top_p) of the total all together, so the run ends
  // before them; only the others need ranks. (Half of it: room for the rounding of the sums.)
  const double light = 0.5 * (1.0 - top_p) * total / static_cast<double>(ids->size());
  std::vector<int32_t> heap;
  for (size_t i = 0; i < ids->size(); ++i) {
    if (weights[i] >= light) heap.push_back((*ids)[i]);
  }
  const auto less_likely = [&](int32_t a, int32_t b) { return likelier(b, a); };
  std::make_heap(heap.begin(), heap.end(), less_likely);
  ids->clear();
  double sum = 0;
  do {
    std::pop_heap(heap.begin(), heap.end(), less_likely);
    ids->push_back(heap.back());
    heap.pop_back();
    sum += weight(likelier.logits[ids->back()]);
  } while (sum < top_p * total && !heap.empty());
}

}  // namespace

bool Truncates(const SamplingParams& params) {
  return params.top_k > 0 || params.top_p < 1.0f || params.min_p > 0.0f;
}

std::vector<int32_t> Survivors(absl::Span<const float> logits, double temperature,
                               const SamplingParams& params) {
  const Likelier likelier{logits};
  std::vector<int32_t> ids = UnmaskedIds(logits);
  if (ids.empty()) return ids;
  KeepTopK(likelier, params.top_k, &ids);
  const int32_t first = *std::min_element(ids.begin(), ids.end(), likelier);
  const Weight weight{logits[first], 1.0 / temperature};
  if (params.top_p < 1.0f) KeepTopP(likelier, weight, params.top_p, &ids);
  if (params.min_p > 0.0f) {
    const auto unlikely = [&](int32_t id) { return weight(logits[id]) < params.min_p; };
    ids.erase(std::remove_if(ids.begin(), ids.end(), unlikely), ids.end());
  }
  std::sort(ids.begin(), ids.end());
  return ids;
}

}  // namespace switchboard::engine
