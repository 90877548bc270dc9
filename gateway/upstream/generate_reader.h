// One Generate call to one router: a gRPC reactor that fills a small queue.
#ifndef SWITCHBOARD_GATEWAY_UPSTREAM_GENERATE_READER_H_
#define SWITCHBOARD_GATEWAY_UPSTREAM_GENERATE_READER_H_

#include <grpcpp/alarm.h>
#include <grpcpp/client_context.h>
#include <grpcpp/support/client_callback.h>

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "base/mutex.h"
#include "gateway/models/generation.h"
#include "switchboard/v1/inference.grpc.pb.h"

namespace switchboard::gateway {

// Thread-safe. Keeps itself alive until gRPC is done with it. The next message is read only while
// the queue holds less than a limit, so HTTP/2 flow control carries a slow consumer back to the
// worker.
class GenerateReader final : public grpc::ClientReadReactor<v1::GenerateEvent> {
 public:
  static std::shared_ptr<GenerateReader> Start(v1::Inference::Stub* stub,
                                               std::shared_ptr<const v1::GenerateRequest> request,
                                               absl::Time deadline);
  ~GenerateReader() override = default;

  // As in Generation, except that the status of Ended is gRPC's own.
  std::optional<GenerationEvent> Take() EXCLUDES(mutex_);
  void NotifyWhenReady(std::function<void()> wake) EXCLUDES(mutex_);

  // The server is told to stop; whatever comes afterwards is of no interest. Does not block.
  void Cancel() EXCLUDES(mutex_);
  // Reads to the end and drops it; cancels when that has not come by `deadline`. Does not block.
  // REQUIRES: called once, and nothing but Cancel() after it.
  void Drain(absl::Time deadline) EXCLUDES(mutex_);
  // The server's wish, after Ended.
  std::optional<absl::Duration> retry_after() const EXCLUDES(mutex_);

 private:
  GenerateReader(std::shared_ptr<const v1::GenerateRequest> request, absl::Time deadline);

  void OnReadDone(bool ok) override EXCLUDES(mutex_);
  void OnDone(const grpc::Status& status) override EXCLUDES(mutex_);

  // Forgets what is queued and the wake, for good. Whether the next read is to be started by the
  // caller, as in TakeReadTurn().
  bool StopQueueing() REQUIRES(mutex_);
  // Whether the next read is to be started by the caller, once the mutex is released.
  bool TakeReadTurn() REQUIRES(mutex_);

  grpc::ClientContext context_;  // has its own synchronisation
  // Touched by Start and then by OnReadDone only, one call at a time: what is sent, until something
  // came back; and what the read under way fills.
  std::shared_ptr<const v1::GenerateRequest> request_;
  v1::GenerateEvent message_;

  grpc::Alarm patience_;  // set by Drain

  mutable Mutex mutex_;
  std::shared_ptr<GenerateReader> self_ GUARDED_BY(mutex_);  // until OnDone
  // Events with the bytes they had on the wire.
  std::deque<std::pair<GenerationEvent, size_t>> queue_ GUARDED_BY(mutex_);
  size_t queued_bytes_ GUARDED_BY(mutex_) = 0;
  bool reading_ GUARDED_BY(mutex_) = true;    // a read is under way
  bool read_all_ GUARDED_BY(mutex_) = false;  // no read will succeed any more
  bool cancelled_ GUARDED_BY(mutex_) = false;
  bool dropping_ GUARDED_BY(mutex_) = false;                  // nobody takes events any more
  std::optional<absl::Status> malformed_ GUARDED_BY(mutex_);  // the server broke the protocol
  std::optional<absl::Status> end_ GUARDED_BY(mutex_);
  std::optional<absl::Duration> retry_after_ GUARDED_BY(mutex_);
  std::function<void()> wake_ GUARDED_BY(mutex_);
};

}  // namespace switchboard::gateway

#endif  // SWITCHBOARD_GATEWAY_UPSTREAM_GENERATE_READER_H_
