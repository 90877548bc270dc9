// What this router has in flight on each worker. The load is computed from the set of attempts, so
// it cannot drift from it: an attempt is entered once, struck out once, and a second time is a bug
// that stops the process.
#ifndef SWITCHBOARD_ROUTER_CORE_LEDGER_H_
#define SWITCHBOARD_ROUTER_CORE_LEDGER_H_

#include <vector>

#include "absl/container/flat_hash_map.h"
#include "router/core/command.h"

namespace switchboard::router {

// Not thread-safe.
class Ledger {
 public:
  explicit Ledger(int workers) : workers_(static_cast<size_t>(workers)) {}

  // REQUIRES: `attempt` is not in the ledger.
  void Enter(AttemptKey attempt, WorkerIndex worker, int choices);
  // REQUIRES: `attempt` is in the ledger, on `worker`.
  void Strike(AttemptKey attempt, WorkerIndex worker);

  // Choices in flight on the worker.
  int Choices(WorkerIndex worker) const;
  bool empty() const;

 private:
  struct Worker {
    absl::flat_hash_map<AttemptKey, int> attempts;  // to their choices
    int choices = 0;                                // their sum
  };
  std::vector<Worker> workers_;
};

}  // namespace switchboard::router

#endif  // SWITCHBOARD_ROUTER_CORE_LEDGER_H_
