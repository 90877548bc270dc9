#include "worker/engine/sample/gumbel.h"

#include <array>
#include <cstddef>
#include <limits>

#include "base/fixed_math.h"
#include "worker/engine/sample/greatest.h"
#include "worker/engine/sample/philox.h"

namespace switchboard::engine {
namespace {

constexpr int kRunIds = 4 * kPhiloxRun;

PhiloxKey KeyOf(const DrawPlace& place) {
  return {static_cast<uint32_t>(place.seed), static_cast<uint32_t>(place.seed >> 32)};
}

PhiloxBlock CounterOf(int32_t id, const DrawPlace& place) {
  return {static_cast<uint32_t>(id) / 4, static_cast<uint32_t>(place.position),
          static_cast<uint32_t>(place.choice), 0};
}

// Smallest bits whose noise can reach d, for d = 0, 1, 2, ...: u must be at least exp(-exp(-d)).
// Rounded down; noise ends below 22.9, so from 23 on nothing reaches.
class Thresholds {
 public:
  Thresholds() {
    for (int d = 0; d < kEnd; ++d)
      bits_[d] = static_cast<uint32_t>(FixedExp(-FixedExp(-d)) * 0x1p32) - 2;
  }

  // False when no noise can lift `scaled` to `score`; else sets the least bits that may.
  bool Find(double scaled, double score, uint32_t* least) const {
    const double missing = score - scaled;
    if (!(missing < kEnd)) return false;
    *least = missing < 0 ? 0 : bits_[static_cast<int>(missing)];
    return true;
  }

 private:
  static constexpr int kEnd = 23;
  std::array<uint32_t, kEnd> bits_;
};

const Thresholds& NoiseThresholds() {
  static const Thresholds thresholds;
  return thresholds;
}

// The greatest score so far.
class Best {
 public:
  explicit Best(double temperature) : scale_(1.0 / temperature) {}

  // Ids come in ascending order, so an equal score keeps the earlier one.
  void Offer(int32_t id, float logit, uint32_t bits) {
    const double score = logit * scale_ + Gumbel(bits);
    if (score > score_) {
      score_ = score;
      id_ = id;
    }
  }

  // As Thresholds::Find, for a logit to become the best.
  bool LeastBits(float logit, uint32_t* least) const {
    return thresholds_.Find(logit * scale_, score_, least);
  }

  int32_t id() const { return id_; }

 private:
  const Thresholds& thresholds_ = NoiseThresholds();
  const double scale_;
  double score_ = -std::numeric_limits<double>::infinity();
  int32_t id_ = -1;
};

}  // namespace

double Gumbel(uint32_t bits) {
  const double u = (static_cast<double>(bits) + 0.5) * 0x1p-32;
  return -FixedLog(-FixedLog(u));
}

// Most ids cannot win: a run of them whose greatest logit is too far below the best score needs no
// noise at all, and in the others a comparison of integers sorts out nearly all, so that logarithms
// are rare.
int32_t DrawFromAll(absl::Span<const float> logits, double temperature, const DrawPlace& place) {
  const PhiloxKey key = KeyOf(place);
  Best best(temperature);
  std::array<uint32_t, kRunIds> noise;
  for (size_t first = 0; first < logits.size(); first += kRunIds) {
    const absl::Span<const float> run = logits.subspan(first, kRunIds);
    uint32_t least_of_run = 0;
    if (!best.LeastBits(Greatest(run), &least_of_run)) continue;
    PhiloxRun(CounterOf(static_cast<int32_t>(first), place), key, &noise);
    for (size_t i = 0; i < run.size(); ++i) {
      if (noise[i] < least_of_run) continue;
      uint32_t least = 0;
      if (!best.LeastBits(run[i], &least) || noise[i] < least) continue;
      best.Offer(static_cast<int32_t>(first + i), run[i], noise[i]);
    }
  }
  return best.id();
}

int32_t DrawFrom(absl::Span<const int32_t> ids, absl::Span<const float> logits, double temperature,
                 const DrawPlace& place) {
  const PhiloxKey key = KeyOf(place);
  Best best(temperature);
  int32_t block_number = -1;
  PhiloxBlock block{};
  for (const int32_t id : ids) {
    if (id / 4 != block_number) {
      block_number = id / 4;
      block = Philox(CounterOf(id, place), key);
    }
    best.Offer(id, logits[id], block[id % 4]);
  }
  return best.id();
}

}  // namespace switchboard::engine
