// One Generate call on its way out: takes the engine's events, writes them to the router.
#ifndef SWITCHBOARD_WORKER_SERVICE_TOKEN_STREAM_H_
#define SWITCHBOARD_WORKER_SERVICE_TOKEN_STREAM_H_

#include <grpcpp/server_context.h>
#include <grpcpp/support/server_callback.h>

#include <atomic>
#include <memory>
#include <optional>
#include <vector>

#include "base/mutex.h"
#include "switchboard/v1/inference.pb.h"
#include "worker/engine/engine.h"
#include "worker/service/convert.h"

namespace switchboard::worker {

// Created on a gRPC thread, fed by the engine thread, destroyed when both are done with it: gRPC
// holds it from Start() to OnDone(), the engine from Submit to the last event. One write is in
// flight at a time; tokens made meanwhile go out in the next one. A reader that is slow fills
// `kMaxPendingBytes`, then its sequences are held.
class TokenStream final : public grpc::ServerWriteReactor<v1::GenerateEvent>,
                          public engine::EventSink,
                          public std::enable_shared_from_this<TokenStream> {
 public:
  // Both must outlive the stream.
  static std::shared_ptr<TokenStream> Start(const Identity* identity, engine::Engine* engine,
                                            grpc::CallbackServerContext* context);

  // Hands the request to the engine, unless the client has left already. Called once, from any
  // thread.
  void Submit(engine::Request request);
  // Ends the call with an error instead of Submit.
  void Refuse(const absl::Status& status);

  // engine::EventSink
  void OnEvent(engine::Event event) override;
  bool ReadyForMore() const override;

  // grpc::ServerWriteReactor
  void OnWriteDone(bool ok) override;
  void OnCancel() override;
  void OnDone() override;

 private:
  TokenStream(const Identity* identity, engine::Engine* engine,
              grpc::CallbackServerContext* context);

  // The one place that writes and finishes: starts the next write, or ends the call, if either is
  // due.
  void Advance() EXCLUDES(mutex_);
  // The client has left: the engine stops, the call ends.
  void Abandon() EXCLUDES(mutex_);

  // Constant after construction.
  const Identity* const identity_;
  engine::Engine* const engine_;
  grpc::CallbackServerContext* const context_;
  std::shared_ptr<TokenStream> self_;  // set by Start, dropped by OnDone

  std::atomic<size_t> pending_bytes_ = 0;
  v1::GenerateEvent in_flight_;  // gRPC's while writing_

  Mutex mutex_;
  std::vector<v1::GenerateEvent> pending_ GUARDED_BY(mutex_);
  std::optional<absl::Status> end_ GUARDED_BY(mutex_);  // how the call ends once nothing is pending
  std::optional<uint64_t> engine_id_ GUARDED_BY(mutex_);
  int unfinished_choices_ GUARDED_BY(mutex_) = 0;
  bool with_logprobs_ GUARDED_BY(mutex_) = false;
  bool writing_ GUARDED_BY(mutex_) = false;
  bool finished_ GUARDED_BY(mutex_) = false;   // Finish was called
  bool cancelled_ GUARDED_BY(mutex_) = false;  // the client has left
};

}  // namespace switchboard::worker

#endif  // SWITCHBOARD_WORKER_SERVICE_TOKEN_STREAM_H_
