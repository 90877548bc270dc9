// The router as a state machine: tell it what happened, take what it wants done. No I/O, no thread,
// no clock of its own; the shell around it (router/service) has all of these.
//
// A request waits until a worker of its model has room, goes to the least loaded one, and its
// stream is relayed event by event. A worker that is lost or refuses before the first token is
// replaced; after it the request ends with Unavailable. What the client has not yet taken is
// bounded: the next event is read only when there is room for it.
#ifndef SWITCHBOARD_ROUTER_CORE_CORE_H_
#define SWITCHBOARD_ROUTER_CORE_CORE_H_

#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/clock.h"
#include "router/core/command.h"
#include "router/core/core_options.h"
#include "router/core/ledger.h"
#include "router/core/stream_check.h"
#include "router/core/wait_estimate.h"
#include "router/core/wait_queue.h"
#include "router/core/worker_table.h"

namespace switchboard::router {

// Not thread-safe. Whatever is told leaves commands; they are to be taken before the next thread
// comes.
class Core {
 public:
  // `workers`: their addresses; a WorkerIndex is a place in this list. `clock` must outlive the
  // core.
  Core(CoreOptions options, std::vector<std::string> workers, const Clock* clock,
       std::mt19937_64 rng);

  // A client's call. REQUIRES: keys ascend.
  void Arrive(RequestKey request, RequestInfo info);
  // So many bytes of what was forwarded have left for the client.
  void ClientWrote(RequestKey request, size_t bytes);
  // The client has cancelled, or is gone.
  void ClientLeft(RequestKey request);

  // The read that was under way brought `event`.
  void AttemptEvent(AttemptKey attempt, StreamEvent event, size_t bytes);
  // The attempt's call is over; `retry_after` is zero when the worker did not say.
  void AttemptEnded(AttemptKey attempt, const absl::Status& status, absl::Duration retry_after);

  void Reported(WorkerIndex worker, WorkerReport report);
  // The watch of the worker broke. Its streams go on until they break themselves.
  void WorkerLost(WorkerIndex worker);

  // To be called when NextWake has come; earlier does no harm.
  void Tick();
  std::optional<absl::Duration> NextWake() const;  // on the monotonic clock

  // Refuses newcomers from now on; what is inside goes on.
  void Stop() { stopping_ = true; }
  bool stopping() const { return stopping_; }
  // Ends all that is inside with Unavailable.
  void Abandon();

  std::vector<Command> TakeCommands() { return std::exchange(commands_, {}); }

  const WorkerTable& workers() const { return workers_; }
  CoreCounts counts() const;
  // A worker that can give the card of `model`, and what it says of that. NotFound, or Unavailable
  // when nobody serves it now.
  absl::StatusOr<std::pair<WorkerIndex, ModelName>> CardSource(absl::string_view model) const;

 private:
  struct Request {
    RequestInfo info;
    absl::Duration arrived;
    bool queued = false;     // else on a worker, while no method runs
    AttemptKey attempt = 0;  // 0: none
    int attempts = 0;
    std::vector<std::string> lost_on;  // incarnations, not to be tried again
    bool accepted = false;             // the client has got Accepted
    bool begun = false;                // the client has got more than that
    size_t client_bytes = 0;           // forwarded, not yet taken
  };
  struct Attempt {
    RequestKey request = 0;
    WorkerIndex worker = 0;
    std::string incarnation;  // of the worker
    absl::Duration started;
    bool reading = true;    // a read is under way
    bool orphaned = false;  // cancelled; its request has ended or runs elsewhere
    StreamCheck check;
  };

  // placing.cc: from the client's call to a worker.
  bool CanServe(const Worker& worker, const Request& request) const;
  absl::Status CheckServable(const Request& request) const;
  bool HasRoom(WorkerIndex worker, int choices) const;
  bool TryStart(RequestKey key, Request* request);
  void StartOn(RequestKey key, Request* request, WorkerIndex worker);
  absl::Status CheckWait(const Request& request) const;
  void WaitOrRefuse(RequestKey key, Request* request);
  void Dispatch();

  // core.cc: from the worker to the client.
  void Give(RequestKey request, decltype(Command::action) action);
  void End(RequestKey key, absl::Status status);
  // The request has its first token: nobody needs it any more.
  void Begun(Request* request);
  void Read(AttemptKey key, Attempt* attempt);
  void ReadIfRoom(const Request& request);
  void Orphan(AttemptKey key);
  void Fail(const Attempt& attempt, const absl::Status& status, absl::Duration retry_after);
  void LoseAttempts(WorkerIndex worker, const absl::Status& reason);

  const CoreOptions options_;
  const Clock* const clock_;
  std::mt19937_64 rng_;
  bool stopping_ = false;
  AttemptKey last_attempt_ = 0;
  size_t held_bytes_ = 0;  // by requests that have not begun
  absl::flat_hash_map<RequestKey, Request> requests_;
  absl::flat_hash_map<AttemptKey, Attempt> attempts_;
  WorkerTable workers_;
  Ledger ledger_;
  WaitQueue queue_;
  WaitEstimate estimate_;
  std::vector<Command> commands_;
};

}  // namespace switchboard::router

#endif  // SWITCHBOARD_ROUTER_CORE_CORE_H_
