// How long a newcomer would wait, from how long requests have taken so far.
#ifndef SWITCHBOARD_ROUTER_CORE_WAIT_ESTIMATE_H_
#define SWITCHBOARD_ROUTER_CORE_WAIT_ESTIMATE_H_

#include <cstddef>
#include <optional>
#include <random>

#include "absl/time/time.h"

namespace switchboard::router {

// Not thread-safe.
class WaitEstimate {
 public:
  // A generation of `choices` choices took `duration` on its worker, from dispatch to end.
  void Add(absl::Duration duration, int choices);

  // Time until `ahead` waiting requests and one more have found a place when `capacity` choices run
  // at once. Nothing before 8 generations have been seen: too few to refuse anyone for.
  std::optional<absl::Duration> Wait(size_t ahead, int capacity) const;

  // When to come back: the wait (2 s when unknown), between 1 s and 30 s, spread by 20 % to either
  // side so that refused clients do not return together.
  absl::Duration RetryAfter(size_t ahead, int capacity, std::mt19937_64* rng) const;

 private:
  int seen_ = 0;
  // Moving average of the time that one generation keeps one place busy.
  double place_seconds_ = 0;
};

}  // namespace switchboard::router

#endif  // SWITCHBOARD_ROUTER_CORE_WAIT_ESTIMATE_H_
