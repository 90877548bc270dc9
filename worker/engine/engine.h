// The inference engine: one thread that takes requests, plans a step, runs the model, samples and
// emits events.
#ifndef SWITCHBOARD_WORKER_ENGINE_ENGINE_H_
#define SWITCHBOARD_WORKER_ENGINE_ENGINE_H_

#include <cstdint>
#include <memory>
#include <thread>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/clock.h"
#include "base/mutex.h"
#include "worker/engine/inbox.h"
#include "worker/engine/observer.h"
#include "worker/engine/options.h"
#include "worker/engine/request.h"
#include "worker/engine/stats.h"
#include "worker/engine/stepper.h"
#include "worker/model/model.h"

namespace switchboard::engine {

// Submit, Cancel, Wake and Stats may be called from any thread at any time (not from an event
// sink); Start, Stop and the destructor from one thread. The token at place p of choice c depends
// only on the model, the prompt, the images, the sampling parameters, c and p: never on the other
// requests, the options or the timing.
class Engine {
 public:
  // Model, clock and observer (may be null) must outlive the engine, which uses the model alone
  // from Start on.
  Engine(model::Model* model, EngineOptions options, const Clock& clock,
         EngineObserver* observer = nullptr);
  // As Stop with no grace.
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  // Allocates the KV cache and starts the thread; once. InvalidArgument naming an option;
  // ResourceExhausted when the cache cannot be had.
  absl::Status Start();

  // Checks a request and queues it; returns its id. Never waits for computing. InvalidArgument
  // naming the field; ResourceExhausted: the queue is full; Unavailable: stopping or not started.
  // The engine keeps `sink` until the request's end; its first event may come before this returns.
  absl::StatusOr<uint64_t> Submit(Request request, std::shared_ptr<EventSink> sink);

  // Ends a request without an event. The engine thread looks for cancels before it plans a step and
  // again when the model has computed it, so at most the events of a step that is being emitted
  // right now still come; then the pages are free and the sink is dropped. Ended and unknown ids
  // are ignored.
  void Cancel(uint64_t id);

  // To be called when a sink's ReadyForMore turned from false to true.
  void Wake();

  EngineStats Stats() const;

  // Refuses newcomers, fails the requests that have not started (Unavailable: nothing was sent,
  // another engine can take them), lets the others go on for `grace`, fails what is left
  // (Unavailable) and ends the thread. Later calls do nothing.
  void Stop(absl::Duration grace);

 private:
  void Run();
  // Takes over the mail; false when the engine has stopped.
  bool ReadMail(absl::Duration wait);
  void Publish(bool runnable);

  model::Model* const model_;
  const EngineOptions options_;
  const Clock& clock_;
  EngineObserver no_observer_;
  EngineObserver* const observer_;
  Inbox inbox_;
  std::thread thread_;

  // Engine thread only, once it runs.
  std::unique_ptr<Stepper> stepper_;
  bool stopping_ = false;
  absl::Duration stop_by_ = absl::InfiniteDuration();

  mutable Mutex mutex_;
  EngineStats stats_ GUARDED_BY(mutex_);
};

}  // namespace switchboard::engine

#endif  // SWITCHBOARD_WORKER_ENGINE_ENGINE_H_
