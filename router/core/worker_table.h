// The workers as their reports show them: who is there, what each serves and how much room it has.
#ifndef SWITCHBOARD_ROUTER_CORE_WORKER_TABLE_H_
#define SWITCHBOARD_ROUTER_CORE_WORKER_TABLE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "router/core/command.h"

namespace switchboard::router {

struct ModelName {
  std::string name = {};
  std::string root = {};
  int64_t created = 0;  // Unix seconds
  int32_t max_model_len = 0;
  std::string fingerprint = {};
  std::string card_version = {};
};

// What a worker says of itself (WorkerReport of the protocol).
struct WorkerReport {
  std::string incarnation;
  std::string worker;
  bool has_models = false;  // first report of a watch
  std::vector<ModelName> models;
  int32_t running = 0;
  int32_t waiting = 0;
  uint64_t steps = 0;  // of the engine, so far
  int32_t max_running = 0;
  int32_t max_waiting = 0;
  bool draining = false;
};

// One worker of the list, which is fixed. The last report stays when the worker is lost: it says
// which models exist though nobody serves them now.
struct Worker {
  std::string address;
  bool connected = false;
  bool ever_connected = false;
  WorkerReport report;
  absl::Duration last_sign;    // of life: report or token
  absl::Duration last_step;    // of the engine: seen, or none was needed
  bool hangs = false;          // no step for too long
  absl::Duration avoid_until;  // gets nothing new before; zero: not avoided

  bool Takes() const { return connected && !hangs && !report.draining; }
  bool Has(absl::string_view model, absl::string_view fingerprint) const;
  // The name it gave itself, its address while it has not.
  const std::string& Name() const { return report.worker.empty() ? address : report.worker; }
};

// Not thread-safe.
class WorkerTable {
 public:
  explicit WorkerTable(std::vector<std::string> addresses);

  // True when this is another process than before: whatever ran on the old one is gone.
  bool Report(WorkerIndex worker, WorkerReport report, absl::Duration now);
  void Lose(WorkerIndex worker) { At(worker).connected = false; }
  void SignOfLife(WorkerIndex worker, absl::Duration now) { At(worker).last_sign = now; }
  // Until its next step, or its restart, it gets nothing.
  void Hang(WorkerIndex worker) { At(worker).hangs = true; }
  void Avoid(WorkerIndex worker, absl::Duration until) { At(worker).avoid_until = until; }

  int size() const { return static_cast<int>(workers_.size()); }
  const Worker& operator[](WorkerIndex worker) const {
    return workers_[static_cast<size_t>(worker)];
  }

  int connected() const;
  // Of these, those that take requests.
  int available() const;
  // Choices that the workers that take requests compute at once, together.
  int capacity() const;
  // Whether any worker has, or had when it was last seen, this model.
  bool Knows(absl::string_view model, absl::string_view fingerprint) const;
  // Of the workers that take requests, in their order; a name twice comes once, from the first.
  std::vector<ModelName> Models() const;
  // Connected workers that have been silent since `then`.
  std::vector<WorkerIndex> SilentSince(absl::Duration then) const;
  // The earliest last sign of life of a connected worker.
  std::optional<absl::Duration> OldestSign() const;
  // Connected workers that have been busy since `then` without a step, and are not yet known to
  // hang.
  std::vector<WorkerIndex> StuckSince(absl::Duration then) const;
  // The earliest last step of a worker that may be stuck.
  std::optional<absl::Duration> OldestStep() const;
  // The earliest end of an avoidance; it stays in the past until EndAvoidance has seen it.
  std::optional<absl::Duration> NextAvoidEnd() const;
  void EndAvoidance(absl::Duration now);

 private:
  static bool MayBeStuck(const Worker& worker);
  Worker& At(WorkerIndex worker) { return workers_[static_cast<size_t>(worker)]; }

  std::vector<Worker> workers_;
};

}  // namespace switchboard::router

#endif  // SWITCHBOARD_ROUTER_CORE_WORKER_TABLE_H_
