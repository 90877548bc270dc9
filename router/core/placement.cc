#include "router/core/placement.h"

#include <cstdint>

#include "base/check.h"

namespace switchboard::router {
namespace {

// Sign of load(a) - load(b), without division so that equal loads compare equal.
int64_t CompareLoad(const Candidate& a, const Candidate& b) {
  const int64_t left = (int64_t{a.in_flight} + a.waiting) * b.max_running;
  const int64_t right = (int64_t{b.in_flight} + b.waiting) * a.max_running;
  return left - right;
}

}  // namespace

WorkerIndex PickLeastLoaded(absl::Span<const Candidate> candidates, std::mt19937_64* rng) {
  CHECK(!candidates.empty());
  const Candidate* best = &candidates[0];
  uint64_t ties = 1;
  for (const Candidate& candidate : candidates.subspan(1)) {
    const int64_t order = CompareLoad(candidate, *best);
    if (order < 0) {
      best = &candidate;
      ties = 1;
    } else if (order == 0 && (*rng)() % ++ties == 0) {
      // The k-th of k equal ones replaces the choice with probability 1/k: each ends up with the
      // same.
      best = &candidate;
    }
  }
  return best->worker;
}

}  // namespace switchboard::router
