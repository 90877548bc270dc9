#include "router/core/wait_estimate.h"

#include <algorithm>

namespace switchboard::router {
namespace {

constexpr int kEnough = 8;
constexpr double kWeight = 0.1;  // of the newest generation once there are enough
constexpr absl::Duration kUnknown = absl::Seconds(2);
constexpr absl::Duration kLeast = absl::Seconds(1);
constexpr absl::Duration kMost = absl::Seconds(30);

}  // namespace

void WaitEstimate::Add(absl::Duration duration, int choices) {
  const double sample = absl::ToDoubleSeconds(duration) * choices;
  seen_ = std::min(seen_ + 1, 1 << 20);
  // A plain mean at first, so that the first sample does not weigh for ever.
  const double weight = std::max(kWeight, 1.0 / seen_);
  place_seconds_ += weight * (sample - place_seconds_);
}

std::optional<absl::Duration> WaitEstimate::Wait(size_t ahead, int capacity) const {
  if (seen_ < kEnough) return std::nullopt;
  return absl::Seconds(static_cast<double>(ahead + 1) * place_seconds_ / std::max(capacity, 1));
}

absl::Duration WaitEstimate::RetryAfter(size_t ahead, int capacity, std::mt19937_64* rng) const {
  const absl::Duration wait = std::clamp(Wait(ahead, capacity).value_or(kUnknown), kLeast, kMost);
  const double spread = std::uniform_real_distribution<double>(0.8, 1.2)(*rng);
  return wait * spread;
}

}  // namespace switchboard::router
