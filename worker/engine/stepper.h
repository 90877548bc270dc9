// The engine's work, one turn at a time, without thread or lock: Plan, Compute, Emit. Engine runs
// it on its thread; tests turn it by hand.
#ifndef SWITCHBOARD_WORKER_ENGINE_STEPPER_H_
#define SWITCHBOARD_WORKER_ENGINE_STEPPER_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "base/clock.h"
#include "worker/engine/active_request.h"
#include "worker/engine/batch.h"
#include "worker/engine/kv/page_pool.h"
#include "worker/engine/observer.h"
#include "worker/engine/options.h"
#include "worker/engine/plan/plan.h"
#include "worker/engine/request.h"
#include "worker/engine/sample/sampler.h"
#include "worker/engine/stats.h"
#include "worker/model/model.h"

namespace switchboard::engine {

// Not thread-safe. Model, clock and observer must outlive it.
class Stepper {
 public:
  // Valid options; `cache` has options.kv_pages pages.
  Stepper(model::Model* model, std::unique_ptr<model::KvCache> cache, const EngineOptions& options,
          const Clock& clock, EngineObserver* observer);
  ~Stepper();

  // Takes a valid request to the end of the queue; ids ascend. If the model refuses the image
  // places, the request fails at once.
  void Add(uint64_t id, Request request, std::shared_ptr<EventSink> sink,
           absl::Duration submitted_at);
  // Forgets a request, without an event: its pages are free and its sink is dropped. Unknown ids
  // are ignored.
  void Cancel(uint64_t id);
  // Fails the requests that were not started; all requests.
  void FailWaiting(const absl::Status& status);
  void FailAll(const absl::Status& status);

  // Decides on the next turn and does what needs no computing: preemption, admission
  // (StartedEvent). False when nothing can be done: there is no request, or all are held back by
  // their sinks.
  bool Plan();
  // Runs the forward pass and the vision block of the plan. REQUIRES: Plan() returned true.
  void Compute();
  // Chooses tokens and sends events for what was computed. Requests may have been cancelled since.
  void Emit();

  bool empty() const { return requests_.empty(); }
  // Requests not started.
  int waiting_requests() const { return waiting_requests_; }
  // All but `waiting` and `runnable`, which the engine knows.
  EngineStats stats() const;

 private:
  // A waiting choice that may be admitted, and the sibling whose prompt it takes over (or null).
  struct Candidate {
    Sequence* sequence;
    const Sequence* holder;
  };
  // A slice of the forward pass. By id, because the request may be gone when the pass is over.
  struct Computed {
    uint64_t request;
    int choice;
    int row;  // of the logits; -1: none
  };

  // stepper.cc: queue, plan, compute.
  int HeldTurns(ActiveRequest* request);
  std::vector<RunningView> ViewRunning();
  std::vector<Candidate> CollectCandidates();
  std::vector<WaitingView> ViewWaiting(absl::Span<const Candidate> candidates) const;
  void Preempt(Sequence* sequence);
  void Admit(const Candidate& candidate);
  void FillBatch();
  void EncodeImage(ActiveRequest* request);

  // stepper_emit.cc: tokens, events, ends.
  Sequence* Find(uint64_t request, int choice);
  void ChooseToken(Sequence* sequence, absl::Span<const float> logits);
  void AppendToken(Sequence* sequence, Drawn drawn);
  void Finish(Sequence* sequence, FinishedEvent event);
  void Fail(ActiveRequest* request, const absl::Status& status);
  void FailIf(bool (*chosen)(const ActiveRequest&), const absl::Status& status);
  void LeaveRunning(Sequence* sequence);
  // The request's end: frees everything and reports.
  void Drop(ActiveRequest* request, RequestReport::End end);

  model::Model* const model_;
  const std::unique_ptr<model::KvCache> cache_;
  const EngineOptions options_;
  const Clock& clock_;
  EngineObserver* const observer_;
  PagePool pool_;
  Sampler sampler_;

  absl::flat_hash_map<uint64_t, std::unique_ptr<ActiveRequest>> requests_;
  std::vector<Sequence*> running_;  // hold pages, oldest first
  std::vector<Sequence*> waiting_;  // the others, oldest first
  int waiting_requests_ = 0;

  // This turn.
  uint64_t turn_ = 0;
  engine::Plan plan_;
  std::vector<Sequence*> planned_;  // the plan's numbering
  Batch batch_;
  std::vector<Computed> computed_;
  std::vector<float> logits_;  // [rows, vocab_size]
  StepReport report_;
  absl::Duration step_began_;
  EngineStats stats_;
};

}  // namespace switchboard::engine

#endif  // SWITCHBOARD_WORKER_ENGINE_STEPPER_H_
