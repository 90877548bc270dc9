// The knobs of the router's core, and what it counts.
#ifndef SWITCHBOARD_ROUTER_CORE_CORE_OPTIONS_H_
#define SWITCHBOARD_ROUTER_CORE_CORE_OPTIONS_H_

#include <cstddef>
#include <string>

#include "absl/time/time.h"

namespace switchboard::router {

struct CoreOptions {
  // Drawn at random when the process starts; first part of every attempt id.
  std::string incarnation = {};
  // Requests that wait for a worker.
  size_t max_queued_requests = 1024;
  // Memory of all requests that have no token yet, waiting or on a worker: until then each is kept,
  // for it may have to go to another worker.
  size_t max_held_bytes = size_t{1} << 30;
  // A request that has waited so long is refused.
  absl::Duration queue_limit = absl::Seconds(30);
  // Workers that one request is tried on.
  int max_attempts = 3;
  // Bytes that were forwarded to one client and not yet taken; one event may go beyond.
  size_t client_window_bytes = size_t{64} << 10;
  // A worker that has neither reported nor sent a token for so long counts as lost.
  absl::Duration silence_limit = absl::Seconds(10);
  // A worker that has had something running for so long without an engine step counts as lost until
  // it makes one. Must exceed the longest step, which on a CPU can be a large image.
  absl::Duration hang_limit = absl::Minutes(2);
};

struct CoreCounts {
  size_t waiting = 0;     // requests in the queue
  size_t running = 0;     // requests on a worker
  size_t held_bytes = 0;  // by requests without a token
  size_t attempts = 0;    // in the ledger, those being cancelled included
  int workers = 0;        // connected
  int available = 0;      // of these, those that take requests
};

}  // namespace switchboard::router

#endif  // SWITCHBOARD_ROUTER_CORE_CORE_OPTIONS_H_
