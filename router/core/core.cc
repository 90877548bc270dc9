// Core, second half: from the worker to the client, and what goes wrong on the way.
#include "router/core/core.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "router/core/failure.h"

namespace switchboard::router {
namespace {

// How long a worker that refused gets nothing new, unless it says otherwise, and one that lost a
// stream.
constexpr absl::Duration kAfterRefusal = absl::Milliseconds(100);
constexpr absl::Duration kAfterLoss = absl::Seconds(1);

}  // namespace

Core::Core(CoreOptions options, std::vector<std::string> workers, const Clock* clock,
           std::mt19937_64 rng)
    : options_(std::move(options)),
      clock_(clock),
      rng_(rng),
      workers_(std::move(workers)),
      ledger_(workers_.size()),
      queue_(options_.max_queued_requests) {}

void Core::Give(RequestKey request, decltype(Command::action) action) {
  commands_.push_back({request, std::move(action)});
}

void Core::End(RequestKey key, absl::Status status) {
  const auto found = requests_.find(key);
  CHECK(found != requests_.end());
  if (found->second.queued) queue_.Remove(key);
  if (!found->second.begun) held_bytes_ -= found->second.info.bytes;
  requests_.erase(found);
  const bool come_back = absl::IsUnavailable(status) || absl::IsResourceExhausted(status);
  const absl::Duration retry_after =
      come_back ? estimate_.RetryAfter(queue_.size(), workers_.capacity(), &rng_)
                : absl::ZeroDuration();
  Give(key, Finish{std::move(status), retry_after});
}

void Core::Begun(Request* request) {
  if (!std::exchange(request->begun, true)) held_bytes_ -= request->info.bytes;
}

void Core::Read(AttemptKey key, Attempt* attempt) {
  if (std::exchange(attempt->reading, true)) return;
  Give(attempt->request, ReadAttempt{key});
}

void Core::ReadIfRoom(const Request& request) {
  if (request.attempt == 0 || request.client_bytes >= options_.client_window_bytes) return;
  Read(request.attempt, &attempts_.at(request.attempt));
}

void Core::Orphan(AttemptKey key) {
  Attempt& attempt = attempts_.at(key);
  attempt.orphaned = true;
  Give(attempt.request, CancelAttempt{key});
  // The end of a call is only seen by reading up to it.
  Read(key, &attempt);
}

void Core::ClientWrote(RequestKey key, size_t bytes) {
  const auto found = requests_.find(key);
  if (found == requests_.end()) return;
  CHECK(bytes <= found->second.client_bytes);
  found->second.client_bytes -= bytes;
  ReadIfRoom(found->second);
}

void Core::ClientLeft(RequestKey key) {
  const auto found = requests_.find(key);
  if (found == requests_.end()) return;
  if (found->second.attempt != 0) Orphan(found->second.attempt);
  End(key, absl::CancelledError("the client has left"));
  Dispatch();
}

void Core::AttemptEvent(AttemptKey key, StreamEvent event, size_t bytes) {
  Attempt& attempt = attempts_.at(key);
  attempt.reading = false;
  workers_.SignOfLife(attempt.worker, clock_->Monotonic());
  if (attempt.orphaned) return Read(key, &attempt);
  if (absl::Status status = attempt.check.Next(event); !status.ok()) {
    const RequestKey request = attempt.request;
    const std::string& worker = workers_[attempt.worker].Name();
    Orphan(key);
    return End(request,
               absl::InternalError(absl::StrCat("worker ", worker, " sent ", status.message())));
  }
  Request& request = requests_.at(attempt.request);
  if (const auto* accepted = std::get_if<AcceptedEvent>(&event)) {
    // Of a replaced worker the client has it already.
    if (request.accepted) return Read(key, &attempt);
    request.accepted = true;
    // Whoever takes over must be of the same kind.
    request.info.fingerprint = accepted->fingerprint;
  } else {
    Begun(&request);
  }
  request.client_bytes += bytes;
  Give(attempt.request, Forward{std::move(event), bytes});
  ReadIfRoom(request);
}

void Core::AttemptEnded(AttemptKey key, const absl::Status& status, absl::Duration retry_after) {
  const auto found = attempts_.find(key);
  CHECK(found != attempts_.end());
  const Attempt attempt = std::move(found->second);
  attempts_.erase(found);
  ledger_.Strike(key, attempt.worker);
  Give(attempt.request, ForgetAttempt{key});
  if (!attempt.orphaned) {
    Request& request = requests_.at(attempt.request);
    request.attempt = 0;
    if (!status.ok()) {
      Fail(attempt, status, retry_after);
    } else if (absl::Status end = attempt.check.End(); !end.ok()) {
      End(attempt.request,
          absl::InternalError(absl::StrCat("worker ", workers_[attempt.worker].Name(),
                                           " broke the protocol: ", end.message())));
    } else {
      estimate_.Add(clock_->Monotonic() - attempt.started, request.info.choices);
      End(attempt.request, absl::OkStatus());
    }
  }
  Dispatch();
}

void Core::Fail(const Attempt& attempt, const absl::Status& status, absl::Duration retry_after) {
  const RequestKey key = attempt.request;
  Request& request = requests_.at(key);
  const Failure failure = Classify(status);
  if (failure == Failure::kOfRequest) return End(key, status);

  const std::string worker = workers_[attempt.worker].Name();
  const absl::Duration now = clock_->Monotonic();
  if (request.begun) {
    return End(key, absl::UnavailableError(
                        absl::StrCat("worker lost: ", worker, " broke the stream after ",
                                     attempt.check.tokens(), " tokens: ", status.message())));
  }
  if (failure == Failure::kRefused) {
    const absl::Duration pause = retry_after > absl::ZeroDuration() ? retry_after : kAfterRefusal;
    workers_.Avoid(attempt.worker, now + std::min(pause, kAfterLoss));
  } else {
    request.lost_on.push_back(attempt.incarnation);
    if (workers_[attempt.worker].report.incarnation == attempt.incarnation) {
      workers_.Avoid(attempt.worker, now + kAfterLoss);
    }
  }
  const bool may_go_on = request.attempts < options_.max_attempts && CheckServable(request).ok();
  if (!may_go_on) {
    const absl::string_view what =
        failure == Failure::kRefused ? "worker refused: " : "worker lost: ";
    const absl::string_view rest =
        request.attempts < options_.max_attempts ? "; no other worker is available" : "; given up";
    return End(key, absl::Status(failure == Failure::kRefused ? absl::StatusCode::kResourceExhausted
                                                              : absl::StatusCode::kUnavailable,
                                 absl::StrCat(what, worker, ": ", status.message(), rest, " after ",
                                              request.attempts, " attempts")));
  }
  if (!TryStart(key, &request)) WaitOrRefuse(key, &request);
}

void Core::Reported(WorkerIndex worker, WorkerReport report) {
  if (workers_.Report(worker, std::move(report), clock_->Monotonic())) {
    LoseAttempts(worker, absl::UnavailableError("the worker has been restarted"));
  }
  Dispatch();
}

void Core::WorkerLost(WorkerIndex worker) {
  workers_.Lose(worker);
  Dispatch();
}

void Core::LoseAttempts(WorkerIndex worker, const absl::Status& reason) {
  std::vector<AttemptKey> lost;
  for (const auto& [key, attempt] : attempts_) {
    if (attempt.worker != worker || attempt.orphaned) continue;
    const Worker& now = workers_[worker];
    const bool is_lost =
        !now.connected || now.hangs || attempt.incarnation != now.report.incarnation;
    if (is_lost) lost.push_back(key);
  }
  std::sort(lost.begin(), lost.end());
  for (const AttemptKey key : lost) {
    Orphan(key);
    const Attempt attempt = attempts_.at(key);
    requests_.at(attempt.request).attempt = 0;
    Fail(attempt, reason, absl::ZeroDuration());
  }
}

void Core::Tick() {
  const absl::Duration now = clock_->Monotonic();
  for (const WorkerIndex worker : workers_.SilentSince(now - options_.silence_limit)) {
    workers_.Lose(worker);
    LoseAttempts(worker, absl::UnavailableError("the worker is silent"));
  }
  for (const WorkerIndex worker : workers_.StuckSince(now - options_.hang_limit)) {
    workers_.Hang(worker);
    LoseAttempts(worker, absl::UnavailableError("the worker's engine makes no step"));
  }
  workers_.EndAvoidance(now);
  for (const RequestKey key : queue_.Overdue(now)) {
    End(key, absl::ResourceExhaustedError(absl::StrCat(
                 "no worker had room within ", absl::FormatDuration(options_.queue_limit))));
  }
  Dispatch();
}

void Core::Abandon() {
  std::vector<RequestKey> keys;
  for (const auto& [key, request] : requests_) keys.push_back(key);
  std::sort(keys.begin(), keys.end());
  for (const RequestKey key : keys) {
    if (const AttemptKey attempt = requests_.at(key).attempt; attempt != 0) Orphan(attempt);
    End(key, absl::UnavailableError("the router has been shut down"));
  }
}

std::optional<absl::Duration> Core::NextWake() const {
  std::optional<absl::Duration> next = queue_.EarliestDeadline();
  const auto consider = [&next](std::optional<absl::Duration> time) {
    if (time.has_value()) next = std::min(next.value_or(*time), *time);
  };
  if (queue_.size() > 0) consider(workers_.NextAvoidEnd());
  if (const auto sign = workers_.OldestSign()) consider(*sign + options_.silence_limit);
  if (const auto step = workers_.OldestStep()) consider(*step + options_.hang_limit);
  return next;
}

CoreCounts Core::counts() const {
  return {.waiting = queue_.size(),
          .running = requests_.size() - queue_.size(),
          .held_bytes = held_bytes_,
          .attempts = attempts_.size(),
          .workers = workers_.connected(),
          .available = workers_.available()};
}

absl::StatusOr<std::pair<WorkerIndex, ModelName>> Core::CardSource(absl::string_view model) const {
  Request request;
  request.info.model = std::string(model);
  for (WorkerIndex i = 0; i < workers_.size(); ++i) {
    if (!CanServe(workers_[i], request)) continue;
    for (const ModelName& entry : workers_[i].report.models) {
      if (entry.name == model) return std::make_pair(i, entry);
    }
  }
  return CheckServable(request);
}

}  // namespace switchboard::router
