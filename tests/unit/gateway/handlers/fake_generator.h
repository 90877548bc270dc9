// A router whose every word is written in the test.
#ifndef SWITCHBOARD_TESTS_UNIT_GATEWAY_HANDLERS_FAKE_GENERATOR_H_
#define SWITCHBOARD_TESTS_UNIT_GATEWAY_HANDLERS_FAKE_GENERATOR_H_

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "gateway/models/generation.h"

namespace switchboard::gateway {

// Plays one script per call, in order of the calls. Thread-safe.
class FakeGenerator final : public Generator {
 public:
  using Script = std::deque<GenerationEvent>;

  void Expect(Script script) {
    MutexLock lock(&mutex_);
    scripts_.push_back(std::move(script));
  }
  std::vector<GenerateCall> calls() const {
    MutexLock lock(&mutex_);
    return calls_;
  }
  // Generations that were let end instead of cancelled.
  int let_end() const {
    MutexLock lock(&mutex_);
    return let_end_;
  }
  // Generations that exist now.
  int running() const {
    MutexLock lock(&mutex_);
    return running_;
  }

  std::unique_ptr<Generation> Start(const GenerateCall& call, absl::Time deadline) override {
    MutexLock lock(&mutex_);
    calls_.push_back(call);
    ++running_;
    Script script;
    if (!scripts_.empty()) {
      script = std::move(scripts_.front());
      scripts_.pop_front();
    }
    return std::make_unique<Played>(this, std::move(script));
  }

 private:
  // A script that has run out means silence.
  class Played final : public Generation {
   public:
    Played(FakeGenerator* owner, Script script) : owner_(*owner), script_(std::move(script)) {}
    ~Played() override {
      MutexLock lock(&owner_.mutex_);
      --owner_.running_;
    }
    std::optional<GenerationEvent> Take() override {
      if (script_.empty()) return std::nullopt;
      GenerationEvent event = std::move(script_.front());
      script_.pop_front();
      return event;
    }
    void NotifyWhenReady(std::function<void()> wake) override {
      if (!script_.empty()) wake();
    }
    void LetEnd() override {
      MutexLock lock(&owner_.mutex_);
      ++owner_.let_end_;
    }

   private:
    FakeGenerator& owner_;
    Script script_;
  };

  mutable Mutex mutex_;
  std::deque<Script> scripts_ GUARDED_BY(mutex_);
  std::vector<GenerateCall> calls_ GUARDED_BY(mutex_);
  int running_ GUARDED_BY(mutex_) = 0;
  int let_end_ GUARDED_BY(mutex_) = 0;
};

}  // namespace switchboard::gateway

#endif  // SWITCHBOARD_TESTS_UNIT_GATEWAY_HANDLERS_FAKE_GENERATOR_H_
