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
#include "worker/service/byte_budget.h"
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

  // Exactly one of Submit and Refuse is called, once, from any thread. Until then the call does not
  // end, even when the client leaves: its request message, which gRPC keeps as long as the call,
  // may be read.
  //
  // Hands the request to the engine, unless the client has left.
  void Submit(engine::Request request);
  // Ends the call with an error.
  void Refuse(const absl::Status& status);

  // The client has left: what is still to be prepared is for nobody.
  bool abandoned() const;

  // What the images of the request take. It is given back down to `after_encoding` with the first
  // token, and altogether when the call is over. REQUIRES: neither Submit nor Refuse was called.
  void HoldMemory(ByteBudget::Share share, int64_t after_encoding);

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
  void Append(const engine::Event& event) REQUIRES(mutex_);
  // The client has left: the engine stops, the call ends once its request is read no more.
  void Abandon() EXCLUDES(mutex_);

  // Constant after construction.
  const Identity* const identity_;
  engine::Engine* const engine_;
  grpc::CallbackServerContext* const context_;
  std::shared_ptr<TokenStream> self_;  // set by Start, dropped by OnDone

  std::atomic<size_t> pending_bytes_ = 0;  // of pending_, about
  v1::GenerateEvent in_flight_;            // gRPC's while writing_

  mutable Mutex mutex_;
  std::vector<v1::GenerateEvent> pending_ GUARDED_BY(mutex_);
  ByteBudget::Share memory_ GUARDED_BY(mutex_);
  int64_t memory_after_encoding_ GUARDED_BY(mutex_) = 0;
  std::optional<absl::Status> end_ GUARDED_BY(mutex_);  // how the call ends once nothing is pending
  std::optional<uint64_t> engine_id_ GUARDED_BY(mutex_);
  int unfinished_choices_ GUARDED_BY(mutex_) = 0;
  bool with_logprobs_ GUARDED_BY(mutex_) = false;
  bool handed_over_ GUARDED_BY(mutex_) = false;  // Submit or Refuse was called
  bool writing_ GUARDED_BY(mutex_) = false;
  bool finished_ GUARDED_BY(mutex_) = false;   // Finish was called
  bool cancelled_ GUARDED_BY(mutex_) = false;  // the client has left
};

}  // namespace switchboard::worker

#endif  // SWITCHBOARD_WORKER_SERVICE_TOKEN_STREAM_H_
