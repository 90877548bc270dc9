// Runs the core: one lock around it, a thread for its timers, and its commands carried out without
// the lock, in order for each request and side by side for different ones.
#ifndef SWITCHBOARD_ROUTER_SERVICE_SHELL_H_
#define SWITCHBOARD_ROUTER_SERVICE_SHELL_H_

#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/clock.h"
#include "base/mutex.h"
#include "base/thread_annotations.h"
#include "router/core/core.h"
#include "router/probe.h"
#include "router/service/client_stream.h"
#include "router/service/relay.h"

namespace switchboard::router {

// Thread-safe; nothing here blocks, but for WaitForRest and the destructor.
class Shell {
 public:
  // `stubs`: one per worker, which outlive the shell, as do `clock` and `probe`.
  Shell(CoreOptions options, std::vector<std::string> workers,
        std::vector<v1::Inference::Stub*> stubs, const Clock* clock, Probe* probe);
  // REQUIRES: WaitForRest has returned true, nothing arrives any more.
  ~Shell();
  Shell(const Shell&) = delete;
  Shell& operator=(const Shell&) = delete;

  // A client's call, to be answered through `client`.
  void Open(ClientStream* client, v1::GenerateRequest request, RequestInfo info) EXCLUDES(mutex_);

  void Reported(WorkerIndex worker, WorkerReport report) EXCLUDES(mutex_);
  void WorkerLost(WorkerIndex worker) EXCLUDES(mutex_);

  std::vector<ModelName> Models() EXCLUDES(mutex_);
  absl::StatusOr<std::pair<WorkerIndex, ModelName>> CardSource(absl::string_view model)
      EXCLUDES(mutex_);

  CoreCounts Counts() EXCLUDES(mutex_);
  // Whether newcomers are taken and a worker is there for them.
  bool Ready() EXCLUDES(mutex_);
  // No newcomers from now on.
  void Stop() EXCLUDES(mutex_);
  // Ends with Unavailable what is still inside.
  void Abandon() EXCLUDES(mutex_);
  // True when no request and no attempt is left; false when `limit` has passed before.
  bool WaitForRest(absl::Duration limit) EXCLUDES(mutex_);

 private:
  // A request's commands, and whether a thread is carrying them out.
  struct Strand {
    explicit Strand(std::unique_ptr<Relay> r) : relay(std::move(r)) {}
    const std::unique_ptr<Relay> relay;  // of the thread that set busy
    std::vector<Command> commands;
    bool busy = false;
  };

  // Tells the core, then carries out what it wants.
  void Tell(absl::FunctionRef<void(Core*)> event) EXCLUDES(mutex_);
  // After the core has been told something: says its load, sets the timer, and hands its commands
  // to their strands; returns those that nobody is busy with.
  std::vector<RequestKey> Settle() REQUIRES(mutex_);
  void CarryAll(RequestKey key) EXCLUDES(mutex_);
  AttemptStream::Listener ListenerFor(AttemptKey attempt);
  void RunTimers() EXCLUDES(mutex_);

  const Relay::Surroundings surroundings_;
  Probe* const probe_;

  Mutex mutex_;
  CondVar changed_;
  Core core_ GUARDED_BY(mutex_);
  RequestKey last_request_ GUARDED_BY(mutex_) = 0;
  absl::flat_hash_map<RequestKey, std::unique_ptr<Strand>> strands_ GUARDED_BY(mutex_);
  bool stopping_ GUARDED_BY(mutex_) = false;
  // What the timer thread sleeps until.
  absl::Duration alarm_ GUARDED_BY(mutex_) = absl::InfiniteDuration();

  std::thread timers_;  // last: started when all else is there
};

}  // namespace switchboard::router

#endif  // SWITCHBOARD_ROUTER_SERVICE_SHELL_H_
