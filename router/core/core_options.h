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
  // Requests that wait for a worker, and the memory they hold.
  size_t max_queued_requests = 1024;
  size_t max_queued_bytes = size_t{1} << 30;
  // A request that has waited so long is refused.
  absl::Duration queue_limit = absl::Seconds(30);
  // Workers that one request is tried on.
  int max_attempts = 3;
  // Bytes that were forwarded to one client and not yet taken; one event may go beyond.
  size_t client_window_bytes = size_t{64} << 10;
  // A worker that has neither reported nor sent a token for so long counts as lost.
  absl::Duration silence_limit = absl::Seconds(10);
};

struct CoreCounts {
  size_t waiting = 0;        // requests in the queue
  size_t waiting_bytes = 0;  // held by them
  size_t running = 0;        // requests on a worker
  size_t attempts = 0;       // in the ledger, those being cancelled included
  int workers = 0;           // connected
  int available = 0;         // of these, not draining
};

}  // namespace switchboard::router

#endif  // SWITCHBOARD_ROUTER_CORE_CORE_OPTIONS_H_
