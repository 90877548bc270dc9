// The door into the engine thread: requests, cancels, wake-ups and the order to stop, from any
// thread.
#ifndef SWITCHBOARD_WORKER_ENGINE_INBOX_H_
#define SWITCHBOARD_WORKER_ENGINE_INBOX_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/mutex.h"
#include "worker/engine/request.h"

namespace switchboard::engine {

struct Arrival {
  uint64_t id = 0;
  Request request;
  std::shared_ptr<EventSink> sink;
  absl::Duration submitted_at;
};

// Carried out in this order: an id is cancelled only after it arrived.
struct Mail {
  std::vector<Arrival> arrivals;
  std::vector<uint64_t> cancelled;
  std::optional<absl::Duration> stop_by;  // since Close: when running requests are to be failed
};

// Thread-safe; Take, TakeCancelled and SetWaiting are for the engine thread. No call blocks for
// longer than it takes to move a vector, except Take when asked to wait. Closed until Open.
class Inbox {
 public:
  explicit Inbox(int max_waiting) : max_waiting_(max_waiting) {}
  Inbox(const Inbox&) = delete;
  Inbox& operator=(const Inbox&) = delete;

  void Open();
  // Refuses newcomers from now on. The earliest `stop_by` counts.
  void Close(absl::Duration stop_by);

  // The request's id: greater than all before. ResourceExhausted: max_waiting requests wait
  // already. Unavailable: closed.
  absl::StatusOr<uint64_t> Put(Request request, std::shared_ptr<EventSink> sink,
                               absl::Duration now);
  void Cancel(uint64_t id);
  void Wake();

  // All that came since the last call; waits up to `wait` for something to come. Wake-ups during
  // the caller's work before count, so none is lost.
  Mail Take(absl::Duration wait);
  // Only cancels.
  std::vector<uint64_t> TakeCancelled();
  // Requests that were taken and are not started. Those taken since the last call are counted until
  // then.
  void SetWaiting(int requests);

  // Requests not started, taken or not.
  int waiting() const;

 private:
  int WaitingLocked() const REQUIRES(mutex_);

  const int max_waiting_;
  mutable Mutex mutex_;
  CondVar came_;
  Mail mail_ GUARDED_BY(mutex_);
  bool open_ GUARDED_BY(mutex_) = false;
  bool woken_ GUARDED_BY(mutex_) = false;
  int taken_waiting_ GUARDED_BY(mutex_) = 0;
  uint64_t last_id_ GUARDED_BY(mutex_) = 0;
};

}  // namespace switchboard::engine

#endif  // SWITCHBOARD_WORKER_ENGINE_INBOX_H_
