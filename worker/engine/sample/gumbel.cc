#include "worker/engine/sample/gumbel.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <limits>

#include "worker/engine/sample/fixed_math.h"
#include "worker/engine/sample/philox.h"

namespace switchboard::engine {
namespace {

constexpr int kRunIds = 4 * kPhiloxRun;
// Above every possible noise.
constexpr double kMaxNoise = 22.9;

PhiloxKey KeyOf(const DrawPlace& place) {
  return {static_cast<uint32_t>(place.seed), static_cast<uint32_t>(place.seed >> 32)};
}

PhiloxBlock CounterOf(int32_t id, const DrawPlace& place) {
  return {static_cast<uint32_t>(id) / 4, static_cast<uint32_t>(place.position),
          static_cast<uint32_t>(place.choice), 0};
}

// An upper bound of Gumbel(bits) without a logarithm: -ln u >= 1 - u = y / 2^32 with y = ~bits +
// 1/2, so the noise is at most 32 ln 2 - ln y, and y >= 2^(width of ~bits - 1). Rounded up.
constexpr std::array<double, 33> kBoundOfWidth = [] {
  std::array<double, 33> bound{};
  for (int width = 0; width <= 32; ++width) bound[width] = 0.6931471806 * (33 - width);
  return bound;
}();

// The greatest score so far.
class Best {
 public:
  explicit Best(double temperature) : scale_(1.0 / temperature) {}

  // False when no noise could make this logit the best.
  bool Possible(float logit) const { return logit * scale_ + kMaxNoise >= score_; }

  // Ids come in ascending order, so an equal score keeps the earlier one.
  void Offer(int32_t id, float logit, uint32_t bits) {
    const double scaled = logit * scale_;
    if (scaled + kBoundOfWidth[std::bit_width(~bits)] < score_) return;
    const double score = scaled + Gumbel(bits);
    if (score > score_) {
      score_ = score;
      id_ = id;
    }
  }

  int32_t id() const { return id_; }

 private:
  const double scale_;
  double score_ = -std::numeric_limits<double>::infinity();
  int32_t id_ = -1;
};

}  // namespace

double Gumbel(uint32_t bits) {
  const double u = (static_cast<double>(bits) + 0.5) * 0x1p-32;
  return -FixedLog(-FixedLog(u));
}

int32_t DrawFromAll(absl::Span<const float> logits, double temperature, const DrawPlace& place) {
  const PhiloxKey key = KeyOf(place);
  Best best(temperature);
  std::array<uint32_t, kRunIds> noise;
  for (size_t first = 0; first < logits.size(); first += kRunIds) {
    const absl::Span<const float> run = logits.subspan(first, kRunIds);
    if (!best.Possible(*std::max_element(run.begin(), run.end()))) continue;
    PhiloxRun(CounterOf(static_cast<int32_t>(first), place), key, &noise);
    for (size_t i = 0; i < run.size(); ++i) {
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
