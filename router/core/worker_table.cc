#include "router/core/worker_table.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_set.h"

namespace switchboard::router {
namespace {

constexpr int32_t kMost = 1 << 20;

}  // namespace

bool Worker::Has(absl::string_view model, absl::string_view fingerprint) const {
  return std::any_of(report.models.begin(), report.models.end(), [&](const ModelName& entry) {
    return entry.name == model && (fingerprint.empty() || entry.fingerprint == fingerprint);
  });
}

WorkerTable::WorkerTable(std::vector<std::string> addresses) {
  for (std::string& address : addresses) {
    workers_.emplace_back();
    workers_.back().address = std::move(address);
  }
}

bool WorkerTable::Report(WorkerIndex index, WorkerReport report, absl::Duration now) {
  Worker& worker = At(index);
  const bool is_new = worker.ever_connected && worker.report.incarnation != report.incarnation;
  if (!report.has_models && !is_new) report.models = std::move(worker.report.models);
  // Bounds that keep sums of them far from overflow.
  report.max_running = std::clamp(report.max_running, 1, kMost);
  report.max_waiting = std::clamp(report.max_waiting, 0, kMost);
  report.waiting = std::clamp(report.waiting, 0, kMost);
  if (is_new) worker.avoid_until = absl::ZeroDuration();
  // Idle, or freshly idle, is no hang; neither is what happened while nobody watched.
  const bool idle = report.running <= 0 || worker.report.running <= 0;
  if (is_new || idle || report.steps != worker.report.steps) {
    worker.hangs = false;
    worker.last_step = now;
  } else if (!worker.connected) {
    worker.last_step = now;
  }
  worker.report = std::move(report);
  worker.connected = true;
  worker.ever_connected = true;
  worker.last_sign = now;
  return is_new;
}

int WorkerTable::connected() const {
  return static_cast<int>(std::count_if(workers_.begin(), workers_.end(),
                                        [](const Worker& worker) { return worker.connected; }));
}

int WorkerTable::available() const {
  return static_cast<int>(std::count_if(workers_.begin(), workers_.end(),
                                        [](const Worker& worker) { return worker.Takes(); }));
}

int WorkerTable::capacity() const {
  int64_t sum = 0;
  for (const Worker& worker : workers_) {
    if (worker.Takes()) sum += worker.report.max_running;
  }
  return static_cast<int>(std::min<int64_t>(sum, 1 << 30));
}

bool WorkerTable::Knows(absl::string_view model, absl::string_view fingerprint) const {
  return std::any_of(workers_.begin(), workers_.end(),
                     [&](const Worker& worker) { return worker.Has(model, fingerprint); });
}

std::vector<ModelName> WorkerTable::Models() const {
  std::vector<ModelName> models;
  absl::flat_hash_set<std::string> seen;
  for (const Worker& worker : workers_) {
    if (!worker.Takes()) continue;
    for (const ModelName& model : worker.report.models) {
      if (seen.insert(model.name).second) models.push_back(model);
    }
  }
  return models;
}

std::vector<WorkerIndex> WorkerTable::SilentSince(absl::Duration then) const {
  std::vector<WorkerIndex> silent;
  for (WorkerIndex i = 0; i < size(); ++i) {
    if ((*this)[i].connected && (*this)[i].last_sign <= then) silent.push_back(i);
  }
  return silent;
}

std::optional<absl::Duration> WorkerTable::OldestSign() const {
  std::optional<absl::Duration> oldest;
  for (const Worker& worker : workers_) {
    if (worker.connected) oldest = std::min(oldest.value_or(worker.last_sign), worker.last_sign);
  }
  return oldest;
}

bool WorkerTable::MayBeStuck(const Worker& worker) {
  return worker.connected && !worker.hangs && worker.report.running > 0;
}

std::vector<WorkerIndex> WorkerTable::StuckSince(absl::Duration then) const {
  std::vector<WorkerIndex> stuck;
  for (WorkerIndex i = 0; i < size(); ++i) {
    if (MayBeStuck((*this)[i]) && (*this)[i].last_step <= then) stuck.push_back(i);
  }
  return stuck;
}

std::optional<absl::Duration> WorkerTable::OldestStep() const {
  std::optional<absl::Duration> oldest;
  for (const Worker& worker : workers_) {
    if (MayBeStuck(worker)) oldest = std::min(oldest.value_or(worker.last_step), worker.last_step);
  }
  return oldest;
}

std::optional<absl::Duration> WorkerTable::NextAvoidEnd() const {
  std::optional<absl::Duration> next;
  for (const Worker& worker : workers_) {
    if (worker.avoid_until == absl::ZeroDuration()) continue;
    next = std::min(next.value_or(worker.avoid_until), worker.avoid_until);
  }
  return next;
}

void WorkerTable::EndAvoidance(absl::Duration now) {
  for (Worker& worker : workers_) {
    if (worker.avoid_until <= now) worker.avoid_until = absl::ZeroDuration();
  }
}

}  // namespace switchboard::router
