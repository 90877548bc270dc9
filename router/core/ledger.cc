#include "router/core/ledger.h"

#include "base/check.h"

namespace switchboard::router {

void Ledger::Enter(AttemptKey attempt, WorkerIndex worker, int choices) {
  Worker& entry = workers_[static_cast<size_t>(worker)];
  CHECK(entry.attempts.emplace(attempt, choices).second);
  entry.choices += choices;
}

void Ledger::Strike(AttemptKey attempt, WorkerIndex worker) {
  Worker& entry = workers_[static_cast<size_t>(worker)];
  const auto found = entry.attempts.find(attempt);
  CHECK(found != entry.attempts.end());
  entry.choices -= found->second;
  entry.attempts.erase(found);
}

int Ledger::Choices(WorkerIndex worker) const {
  return workers_[static_cast<size_t>(worker)].choices;
}

bool Ledger::empty() const {
  for (const Worker& worker : workers_) {
    if (!worker.attempts.empty()) return false;
  }
  return true;
}

}  // namespace switchboard::router
