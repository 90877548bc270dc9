// A stepper with FakeModel that tests turn by hand.
#ifndef SWITCHBOARD_TESTS_UNIT_WORKER_ENGINE_RIG_H_
#define SWITCHBOARD_TESTS_UNIT_WORKER_ENGINE_RIG_H_

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "tests/support/manual_clock.h"
#include "tests/unit/worker/engine/fake_model.h"
#include "tests/unit/worker/engine/recording_sink.h"
#include "worker/engine/observer.h"
#include "worker/engine/options.h"
#include "worker/engine/stepper.h"
#include "worker/engine/validate.h"

namespace switchboard::engine {

inline EngineOptions SmallOptions() {
  return {.max_running = 4,
          .max_waiting = 8,
          .max_batched_tokens = 64,
          .kv_pages = 40,
          .max_model_len = 640,
          .usable_vocab = kFakeVocab,
          .eos_token_ids = {90, 91}};
}

// `tokens` ids from `first` on. Greedy, and going on for max_tokens.
inline Request TextRequest(int tokens, int max_tokens, int first = 0) {
  Request request;
  for (int i = 0; i < tokens; ++i) request.prompt_ids.push_back((first + i * 7) % 90);
  request.sampling.temperature = 0.0f;
  request.sampling.ignore_eos = true;
  request.sampling.max_tokens = max_tokens;
  return request;
}

// Puts an image of `grid_h` x `grid_w` patches at the end of the prompt.
inline void AppendImage(int grid_h, int grid_w, float colour, Request* request) {
  PreparedImage image;
  image.grid_h = grid_h;
  image.grid_w = grid_w;
  image.tokens = grid_h * grid_w / 4;
  image.prompt_offset = static_cast<int32_t>(request->prompt_ids.size());
  image.patches.assign(static_cast<size_t>(grid_h) * static_cast<size_t>(grid_w) * 2, colour);
  request->prompt_ids.insert(request->prompt_ids.end(), image.tokens, kImageToken);
  request->images.push_back(std::move(image));
}

// Used where a test brings no observer of its own.
class PreemptionCounter final : public EngineObserver {
 public:
  void OnPreempted() override { ++preemptions_; }
  int preemptions() const { return preemptions_; }

 private:
  int preemptions_ = 0;
};

class Rig {
 public:
  explicit Rig(EngineOptions options = SmallOptions(), EngineObserver* watcher = nullptr)
      : options_(std::move(options)),
        stepper_(&model_, model_.NewKvCache(options_.kv_pages).value(), options_, clock_,
                 watcher != nullptr ? watcher : &counter_) {
    EXPECT_EQ(ValidateOptions(options_, model_.shape()), absl::OkStatus());
  }

  // The sink of a new request; its id is the number of requests so far.
  std::shared_ptr<RecordingSink> Add(Request request) {
    EXPECT_EQ(ValidateRequest(request, options_, model_.shape()), absl::OkStatus());
    auto sink = std::make_shared<RecordingSink>(request.choices);
    stepper_.Add(++last_id_, std::move(request), sink, clock_.Monotonic());
    return sink;
  }

  // One turn; false when there was nothing to do.
  bool Turn() {
    if (!stepper_.Plan()) return false;
    stepper_.Compute();
    stepper_.Emit();
    return true;
  }
  void Turns(int turns) {
    for (int i = 0; i < turns; ++i) Turn();
  }
  // Until nothing can be done any more.
  void RunOut() {
    while (Turn()) {
    }
  }

  FakeModel& model() { return model_; }
  Stepper& stepper() { return stepper_; }
  ManualClock& clock() { return clock_; }
  const EngineOptions& options() const { return options_; }
  // Counted when the rig has no other watcher.
  int preemptions() const { return counter_.preemptions(); }
  uint64_t last_id() const { return last_id_; }

 private:
  const EngineOptions options_;
  FakeModel model_;
  ManualClock clock_;
  PreemptionCounter counter_;
  Stepper stepper_;
  uint64_t last_id_ = 0;
};

}  // namespace switchboard::engine

#endif  // SWITCHBOARD_TESTS_UNIT_WORKER_ENGINE_RIG_H_
