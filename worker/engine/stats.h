// A snapshot of the engine's state.
#ifndef SWITCHBOARD_WORKER_ENGINE_STATS_H_
#define SWITCHBOARD_WORKER_ENGINE_STATS_H_

#include <cstdint>

namespace switchboard::engine {

struct EngineStats {
  int running = 0;  // choices that hold pages
  int waiting = 0;  // requests not started yet
  int kv_pages = 0;
  int kv_pages_used = 0;
  // Turns of the engine so far, each with a forward pass or a vision block: standing still while
  // `runnable` is true means that the engine hangs.
  uint64_t steps = 0;
  bool runnable = false;          // something is being computed
  uint64_t generated_tokens = 0;  // chosen, stop tokens included
};

}  // namespace switchboard::engine

#endif  // SWITCHBOARD_WORKER_ENGINE_STATS_H_
