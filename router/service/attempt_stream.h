// One attempt: a Generate call on a worker.
#ifndef SWITCHBOARD_ROUTER_SERVICE_ATTEMPT_STREAM_H_
#define SWITCHBOARD_ROUTER_SERVICE_ATTEMPT_STREAM_H_

#include <grpcpp/client_context.h>
#include <grpcpp/support/client_callback.h>

#include <functional>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "router/core/stream.h"
#include "switchboard/v1/inference.grpc.pb.h"

namespace switchboard::router {

// Reads an event when told to, so that a slow client holds the worker back by HTTP/2 flow control.
// Start, Read and Cancel come from one thread at a time; the listener is called from gRPC's
// threads.
class AttemptStream final : public grpc::ClientReadReactor<v1::GenerateEvent> {
 public:
  struct Listener {
    std::function<void(StreamEvent event, size_t bytes)> event;
    // Last call; the listener may destroy the stream in it. `retry_after`: zero when the worker
    // said nothing.
    std::function<void(const absl::Status& status, absl::Duration retry_after)> ended;
  };

  explicit AttemptStream(Listener listener) : listener_(std::move(listener)) {}

  // Sends `request`, which is needed during the call only, and reads the first event. Once.
  void Start(v1::Inference::Stub* stub, const v1::GenerateRequest& request);
  // REQUIRES: the event of the read before has come.
  void Read() { StartRead(&event_); }
  // The stream must still be read to its end.
  void Cancel() { context_.TryCancel(); }

  void OnReadDone(bool ok) override;
  void OnDone(const grpc::Status& status) override;

 private:
  Listener listener_;
  grpc::ClientContext context_;
  v1::GenerateEvent event_;
};

}  // namespace switchboard::router

#endif  // SWITCHBOARD_ROUTER_SERVICE_ATTEMPT_STREAM_H_
