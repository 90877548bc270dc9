// The client's side of one Generate call.
#ifndef SWITCHBOARD_ROUTER_SERVICE_CLIENT_STREAM_H_
#define SWITCHBOARD_ROUTER_SERVICE_CLIENT_STREAM_H_

#include <grpcpp/server_context.h>
#include <grpcpp/support/server_callback.h>

#include <cstddef>
#include <deque>
#include <functional>
#include <optional>

#include "base/mutex.h"
#include "base/thread_annotations.h"
#include "switchboard/v1/inference.pb.h"

namespace switchboard::router {

// Writes events one after the other; what comes while a write is under way is gathered, tokens of
// one choice into one message. Thread-safe. Deletes itself when the call is over, which is not
// before Finish.
class ClientStream final : public grpc::ServerWriteReactor<v1::GenerateEvent> {
 public:
  // Called without locks, from gRPC's threads, never after Finish's status has been sent.
  struct Listener {
    std::function<void(size_t bytes)> wrote;
    std::function<void()> left;
  };

  explicit ClientStream(grpc::CallbackServerContext* context) : context_(context) {}

  // REQUIRES: before anything else, and before the call's handler returns.
  void SetListener(Listener listener) { listener_ = std::move(listener); }

  // `bytes` are said to the listener when the event is on its way.
  void Send(v1::GenerateEvent event, size_t bytes);
  // Ends the call when all is sent. Once, and last.
  void Finish(const grpc::Status& status);
  // To be called before Finish, if there is something to set in the trailing metadata.
  grpc::CallbackServerContext* context() { return context_; }

  void OnWriteDone(bool ok) override;
  void OnCancel() override;
  void OnDone() override { delete this; }

 private:
  struct Message {
    v1::GenerateEvent event;
    size_t bytes = 0;  // of all that was merged into it
  };

  // Starts what is next: a write, or the end. Called after every change, without the lock.
  void Advance() EXCLUDES(mutex_);

  grpc::CallbackServerContext* const context_;
  Listener listener_;

  Mutex mutex_;
  std::deque<Message> waiting_ GUARDED_BY(mutex_);
  std::optional<grpc::Status> finish_ GUARDED_BY(mutex_);
  bool busy_ GUARDED_BY(mutex_) = false;  // a write is under way, or the end has begun
  bool gone_ GUARDED_BY(mutex_) = false;  // nothing can be written any more

  // Of the write under way; touched by whoever set busy_.
  Message writing_;
};

}  // namespace switchboard::router

#endif  // SWITCHBOARD_ROUTER_SERVICE_CLIENT_STREAM_H_
