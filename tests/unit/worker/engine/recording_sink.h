// An event sink that remembers, and checks the rules of event streams as they come.
#ifndef SWITCHBOARD_TESTS_UNIT_WORKER_ENGINE_RECORDING_SINK_H_
#define SWITCHBOARD_TESTS_UNIT_WORKER_ENGINE_RECORDING_SINK_H_

#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "base/mutex.h"
#include "tests/unit/worker/engine/reference.h"
#include "worker/engine/request.h"

namespace switchboard::engine {

// Thread-safe. Breaking a rule (an event before Started or after the end, a gap in the positions)
// is a test failure.
class RecordingSink final : public EventSink {
 public:
  explicit RecordingSink(int choices = 1) : answers_(choices), finished_(choices, false) {}

  void OnEvent(Event event) override;
  bool ReadyForMore() const override;

  // False after so many more tokens. At first there is no such limit.
  void SetAllowance(int tokens);

  // Blocks until the request has ended or, in the second, has at least so many tokens over all
  // choices.
  void WaitForEnd();
  void WaitForTokens(int tokens);

  bool started() const;
  // Every choice is finished, or the request failed.
  bool ended() const;
  std::optional<absl::Status> failure() const;
  // What came so far.
  std::vector<Answer> answers() const;
  std::vector<TokenLogprobs> logprobs() const;
  int tokens() const;
  int events() const;
  // How often it was asked whether it is ready.
  int asked() const;

 private:
  bool EndedLocked() const REQUIRES(mutex_);
  void Take(const StartedEvent& event) REQUIRES(mutex_);
  void Take(const TokenEvent& event) REQUIRES(mutex_);
  void Take(const FinishedEvent& event) REQUIRES(mutex_);
  void Take(const FailedEvent& event) REQUIRES(mutex_);

  mutable Mutex mutex_;
  CondVar changed_;
  std::vector<Answer> answers_ GUARDED_BY(mutex_);
  std::vector<bool> finished_ GUARDED_BY(mutex_);
  std::vector<TokenLogprobs> logprobs_ GUARDED_BY(mutex_);
  std::optional<absl::Status> failure_ GUARDED_BY(mutex_);
  bool started_ GUARDED_BY(mutex_) = false;
  int events_ GUARDED_BY(mutex_) = 0;
  int tokens_ GUARDED_BY(mutex_) = 0;
  int allowance_ GUARDED_BY(mutex_) = -1;
  mutable int asked_ GUARDED_BY(mutex_) = 0;
};

}  // namespace switchboard::engine

#endif  // SWITCHBOARD_TESTS_UNIT_WORKER_ENGINE_RECORDING_SINK_H_
