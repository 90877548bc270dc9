// Core, first half: from the client's call over the queue to a worker.
#include <algorithm>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "router/core/core.h"
#include "router/core/placement.h"

namespace switchboard::router {
namespace {

// Requests of one group can be served by the same workers.
std::string GroupOf(const RequestInfo& info) {
  return absl::StrCat(info.model, "\n", info.fingerprint);
}

}  // namespace

void Core::Arrive(RequestKey key, RequestInfo info) {
  Request& request = requests_[key];
  CHECK(request.attempts == 0 && !request.queued);
  request.info = std::move(info);
  request.arrived = clock_->Monotonic();
  const bool fits = request.info.bytes <= options_.max_held_bytes - held_bytes_;
  if (!fits) request.info.bytes = 0;
  held_bytes_ += request.info.bytes;
  if (!fits) {
    return End(key, absl::ResourceExhaustedError(absl::StrCat("requests without a token hold ",
                                                              held_bytes_, " bytes already, of ",
                                                              options_.max_held_bytes)));
  }
  if (stopping_) return End(key, absl::UnavailableError("the router is shutting down"));
  if (absl::Status status = CheckServable(request); !status.ok()) return End(key, status);
  if (!queue_.HasGroup(GroupOf(request.info)) && TryStart(key, &request)) return;
  WaitOrRefuse(key, &request);
}

bool Core::CanServe(const Worker& worker, const Request& request) const {
  return worker.Takes() && worker.Has(request.info.model, request.info.fingerprint) &&
         std::find(request.lost_on.begin(), request.lost_on.end(), worker.report.incarnation) ==
             request.lost_on.end();
}

absl::Status Core::CheckServable(const Request& request) const {
  for (WorkerIndex i = 0; i < workers_.size(); ++i) {
    if (CanServe(workers_[i], request)) return absl::OkStatus();
  }
  const RequestInfo& info = request.info;
  if (workers_.connected() == 0) return absl::UnavailableError("no worker is available");
  if (!workers_.Knows(info.model, "")) {
    return absl::NotFoundError(absl::StrCat("the model \"", info.model, "\" does not exist"));
  }
  if (!workers_.Knows(info.model, info.fingerprint)) {
    return absl::FailedPreconditionError(absl::StrCat("the model \"", info.model,
                                                      "\" has no longer the fingerprint ",
                                                      info.fingerprint, "; fetch its card again"));
  }
  return absl::UnavailableError(
      absl::StrCat("no worker is available for the model \"", info.model, "\""));
}

bool Core::HasRoom(WorkerIndex index, int choices) const {
  const Worker& worker = workers_[index];
  const WorkerReport& report = worker.report;
  if (worker.avoid_until > clock_->Monotonic()) return false;
  if (report.waiting > 0 && report.waiting >= report.max_waiting) return false;
  // A few more than can run wait at the worker, so that a free place is filled within one step; the
  // others wait here, where any worker can take them.
  const int ahead = std::min(report.max_waiting, std::max(1, report.max_running / 8));
  const int in_flight = ledger_.Choices(index);
  return in_flight == 0 || in_flight + choices <= report.max_running + ahead;
}

bool Core::TryStart(RequestKey key, Request* request) {
  std::vector<Candidate> candidates;
  for (WorkerIndex i = 0; i < workers_.size(); ++i) {
    if (!CanServe(workers_[i], *request) || !HasRoom(i, request->info.choices)) continue;
    const WorkerReport& report = workers_[i].report;
    candidates.push_back({i, ledger_.Choices(i), report.waiting, report.max_running});
  }
  if (candidates.empty()) return false;
  StartOn(key, request, PickLeastLoaded(candidates, &rng_));
  return true;
}

void Core::StartOn(RequestKey key, Request* request, WorkerIndex worker) {
  if (std::exchange(request->queued, false)) queue_.Remove(key);
  request->attempt = ++last_attempt_;
  ++request->attempts;
  Attempt attempt{.request = key,
                  .worker = worker,
                  .incarnation = workers_[worker].report.incarnation,
                  .started = clock_->Monotonic(),
                  .check = StreamCheck(request->info.choices)};
  attempts_.emplace(request->attempt, std::move(attempt));
  ledger_.Enter(request->attempt, worker, request->info.choices);
  Give(key, StartAttempt{.attempt = request->attempt,
                         .worker = worker,
                         .attempt_id = absl::StrCat(options_.incarnation, "/", request->attempt),
                         .number = request->attempts});
}

absl::Status Core::CheckWait(const Request& request) const {
  if (!queue_.HasRoom()) {
    return absl::ResourceExhaustedError(
        absl::StrCat("the queue is full: ", queue_.size(), " requests wait for a worker"));
  }
  const auto wait = estimate_.Wait(queue_.size(), workers_.capacity());
  if (request.attempts == 0 && wait.has_value() && *wait > options_.queue_limit) {
    return absl::ResourceExhaustedError(absl::StrCat(
        "the wait for a worker would be about ", absl::ToInt64Seconds(*wait),
        " s, more than the limit of ", absl::ToInt64Seconds(options_.queue_limit), " s"));
  }
  return absl::OkStatus();
}

void Core::WaitOrRefuse(RequestKey key, Request* request) {
  if (absl::Status status = CheckWait(*request); !status.ok()) return End(key, status);
  queue_.Add(key, GroupOf(request->info), request->arrived + options_.queue_limit);
  request->queued = true;
}

void Core::Dispatch() {
  absl::flat_hash_set<std::string> blocked;  // groups whose oldest request found no room
  for (const RequestKey key : queue_.InOrder()) {
    Request& request = requests_.at(key);
    // One that has lost a worker may have fewer to choose from than its group: it is looked at for
    // itself.
    const bool like_its_group = request.lost_on.empty();
    const std::string group = GroupOf(request.info);
    if (like_its_group && blocked.contains(group)) continue;
    if (absl::Status status = CheckServable(request); !status.ok()) {
      End(key, status);
    } else if (!TryStart(key, &request) && like_its_group) {
      blocked.insert(group);
    }
  }
}

}  // namespace switchboard::router
