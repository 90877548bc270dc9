#include "worker/engine/sample/truncation.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <limits>

#include "base/fixed_math.h"
#include "worker/engine/sample/greatest.h"

namespace switchboard::engine {
namespace {

// The order of ranks.
struct Likelier {
  absl::Span<const float> logits;
  bool operator()(int32_t a, int32_t b) const {
    return logits[a] != logits[b] ? logits[a] > logits[b] : a < b;
  }
};

void FillUnmasked(absl::Span<const float> logits, std::vector<int32_t>* ids) {
  ids->resize(logits.size());
  size_t count = 0;
  for (size_t id = 0; id < logits.size(); ++id) {
    (*ids)[count] = static_cast<int32_t>(id);
    count += logits[id] > -std::numeric_limits<float>::infinity() ? 1 : 0;
  }
  ids->resize(count);
}

// Sums of weights by their binary exponent: a coarse histogram that tells, in one pass, how far
// down the likely tokens reach. Weights are at most 1.
class ExponentSums {
 public:
  void Add(double weight) { sums_[BinOf(weight)] += weight; }

  double total() const { return SumTo(kBins - 1); }

  // A weight so small that all weights above it together reach `share` of the total, or 0.
  double Floor(double share) const {
    double sum = 0;
    for (int bin = 0; bin + 1 < kBins; ++bin) {
      sum += sums_[bin];
      // One bin more than needed, so that the rounding of sums in another order does not matter.
      if (sum >= share) return std::bit_cast<double>(static_cast<uint64_t>(kOne - bin - 1) << 52);
    }
    return 0;
  }

 private:
  static constexpr int kOne = 1023;  // the biased exponent of 1.0
  static constexpr int kBins = 64;

  // The last bin takes all the rest, zero included.
  static int BinOf(double weight) {
    return std::min(kOne - static_cast<int>(std::bit_cast<uint64_t>(weight) >> 52), kBins - 1);
  }

  double SumTo(int last) const {
    double sum = 0;
    for (int bin = 0; bin <= last; ++bin) sum += sums_[bin];
    return sum;
  }

  double sums_[kBins] = {};
};

}  // namespace

bool Truncates(const SamplingParams& params) {
  return params.top_k > 0 || params.top_p < 1.0f || params.min_p > 0.0f;
}

void Truncation::KeepTopP(absl::Span<const float> logits, double top_p) {
  ExponentSums sums;
  for (const double weight : weights_) sums.Add(weight);
  const double wanted = top_p * sums.total();
  const double floor = sums.Floor(wanted);
  ranked_.clear();
  for (size_t i = 0; i < ids_.size(); ++i) {
    if (weights_[i] >= floor) ranked_.push_back(static_cast<int32_t>(i));
  }
  const Likelier likelier{logits};
  const auto below = [&](int32_t a, int32_t b) { return likelier(ids_[b], ids_[a]); };
  std::make_heap(ranked_.begin(), ranked_.end(), below);
  // The heap shrinks from the front of ranked_; what is taken out gathers at its end.
  auto heap_end = ranked_.end();
  double sum = 0;
  do {
    std::pop_heap(ranked_.begin(), heap_end, below);
    sum += weights_[*--heap_end];
  } while (sum < wanted && heap_end != ranked_.begin());
  ranked_.erase(ranked_.begin(), heap_end);
  std::sort(ranked_.begin(), ranked_.end());
  for (size_t i = 0; i < ranked_.size(); ++i) {
    ids_[i] = ids_[ranked_[i]];
    weights_[i] = weights_[ranked_[i]];
  }
  ids_.resize(ranked_.size());
  weights_.resize(ranked_.size());
}

absl::Span<const int32_t> Truncation::Survivors(absl::Span<const float> logits, double temperature,
                                                const SamplingParams& params) {
  FillUnmasked(logits, &ids_);
  if (params.top_k > 0 && static_cast<size_t>(params.top_k) < ids_.size()) {
    const auto end = ids_.begin() + params.top_k;
    std::partial_sort(ids_.begin(), end, ids_.end(), Likelier{logits});
    ids_.erase(end, ids_.end());
    std::sort(ids_.begin(), ids_.end());
  }
  const double greatest = Greatest(logits), scale = 1.0 / temperature;
  weights_.resize(ids_.size());
  for (size_t i = 0; i < ids_.size(); ++i) {
    weights_[i] = FixedExp((logits[ids_[i]] - greatest) * scale);
  }
  if (params.top_p < 1.0f && !ids_.empty()) KeepTopP(logits, params.top_p);
  if (params.min_p > 0.0f) {
    size_t count = 0;
    for (size_t i = 0; i < ids_.size(); ++i) {
      if (weights_[i] >= params.min_p) ids_[count++] = ids_[i];
    }
    ids_.resize(count);
  }
  return ids_;
}

}  // namespace switchboard::engine
