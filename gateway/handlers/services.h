// What all requests share.
#ifndef SWITCHBOARD_GATEWAY_HANDLERS_SERVICES_H_
#define SWITCHBOARD_GATEWAY_HANDLERS_SERVICES_H_

#include <cstdint>
#include <functional>

#include "absl/time/time.h"
#include "base/clock.h"
#include "gateway/handlers/task_pool.h"
#include "gateway/models/directory.h"
#include "gateway/models/generation.h"
#include "gateway/probe.h"

namespace switchboard::gateway {

// All borrowed and thread-safe; they outlive every request, the pool's tasks included.
struct Services {
  Directory* directory = nullptr;
  Generator* generator = nullptr;
  TaskPool* pool = nullptr;
  Probe* probe = nullptr;
  const Clock* clock = nullptr;
  std::function<uint64_t()> draw_seed;
  // From a request's arrival to the end of its answer.
  absl::Duration request_timeout = absl::Seconds(600);
};

}  // namespace switchboard::gateway

#endif  // SWITCHBOARD_GATEWAY_HANDLERS_SERVICES_H_
