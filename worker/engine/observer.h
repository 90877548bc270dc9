// What happens in the engine, told as it happens, for metrics. The engine knows no metric library.
#ifndef SWITCHBOARD_WORKER_ENGINE_OBSERVER_H_
#define SWITCHBOARD_WORKER_ENGINE_OBSERVER_H_

#include "absl/time/time.h"

namespace switchboard::engine {

// One turn of the engine.
struct StepReport {
  absl::Duration duration;
  int prompt_tokens = 0;  // computed at places of prompts, recomputed ones included
};

// How a request ended.
struct RequestReport {
  enum End { kStop, kLength, kCancelled, kFailed };  // of its last choice
  End end = kStop;
  absl::Duration duration;  // since Submit
};

// Called from the engine thread; must not block and must not call the engine.
class EngineObserver {
 public:
  virtual ~EngineObserver() = default;
  virtual void OnStep(const StepReport& report) {}
  // The request got its place after so long in the queue.
  virtual void OnStarted(absl::Duration queued) {}
  // A choice's first token, counted from Submit.
  virtual void OnFirstToken(absl::Duration since_submit) {}
  // A choice's later token, counted from the one before.
  virtual void OnNextToken(absl::Duration gap) {}
  virtual void OnPreempted() {}
  // Time spent in the vision tower for one image.
  virtual void OnImageEncoded(absl::Duration duration) {}
  virtual void OnEnded(const RequestReport& report) {}
};

}  // namespace switchboard::engine

#endif  // SWITCHBOARD_WORKER_ENGINE_OBSERVER_H_
