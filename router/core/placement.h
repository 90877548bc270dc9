// Which worker gets a request: a pure choice among those that could take it now.
#ifndef SWITCHBOARD_ROUTER_CORE_PLACEMENT_H_
#define SWITCHBOARD_ROUTER_CORE_PLACEMENT_H_

#include <random>

#include "absl/types/span.h"
#include "router/core/command.h"

namespace switchboard::router {

struct Candidate {
  WorkerIndex worker = 0;
  int in_flight = 0;    // choices this router has on it
  int waiting = 0;      // requests it reported as waiting, of all routers
  int max_running = 1;  // choices it computes at once, at least 1
};

// The candidate with the smallest (in_flight + waiting) / max_running; of equal ones each is as
// likely. REQUIRES: candidates is not empty.
WorkerIndex PickLeastLoaded(absl::Span<const Candidate> candidates, std::mt19937_64* rng);

}  // namespace switchboard::router

#endif  // SWITCHBOARD_ROUTER_CORE_PLACEMENT_H_
