#include "worker/engine/engine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <thread>
#include <vector>

#include "tests/support/manual_clock.h"
#include "tests/support/status_matchers.h"
#include "tests/unit/worker/engine/rig.h"

namespace switchboard::engine {
namespace {

using testing::HasSubstr;

// Holds the engine's thread in its next forward pass.
class Gate {
 public:
  explicit Gate(FakeModel* model) {
    model->before_forward = [this] { Pass(); };
  }

  // Before the pass that comes after `passes` more.
  void ShutAfter(int passes) {
    MutexLock lock(&mutex_);
    passes_left_ = passes;
  }
  void Shut() { ShutAfter(0); }
  void Open() {
    MutexLock lock(&mutex_);
    passes_left_ = kNever;
    changed_.NotifyAll();
  }
  // Until the engine stands before the shut gate.
  void WaitForEngine() {
    MutexLock lock(&mutex_);
    while (!held_) changed_.Wait(&mutex_);
  }

 private:
  void Pass() {
    MutexLock lock(&mutex_);
    held_ = passes_left_ == 0;
    changed_.NotifyAll();
    while (passes_left_ == 0) changed_.Wait(&mutex_);
    if (passes_left_ > 0) --passes_left_;
    held_ = false;
  }

  static constexpr int kNever = -1;

  Mutex mutex_;
  CondVar changed_;
  int passes_left_ GUARDED_BY(mutex_) = kNever;  // until it shuts
  bool held_ GUARDED_BY(mutex_) = false;
};

class EngineTest : public testing::Test {
 protected:
  // A test that failed before the shut gate must end too.
  ~EngineTest() override { gate_.Open(); }

  void StartEngine(EngineOptions options = SmallOptions()) {
    engine_ = std::make_unique<Engine>(&model_, options, clock_);
    ASSERT_THAT(engine_->Start(), IsOk());
  }

  // The sink of a request that must be taken.
  std::shared_ptr<RecordingSink> Submit(const Request& request) {
    auto sink = std::make_shared<RecordingSink>(request.choices);
    const absl::StatusOr<uint64_t> id = engine_->Submit(request, sink);
    EXPECT_THAT(id, IsOk());
    last_id_ = id.value_or(0);
    return sink;
  }

  std::vector<Answer> Expected(const Request& request) {
    const EngineOptions options = SmallOptions();
    return ReferenceAnswers(request, options.max_model_len, options.eos_token_ids);
  }

  FakeModel model_;
  Gate gate_{&model_};
  ManualClock clock_;
  std::unique_ptr<Engine> engine_;
  uint64_t last_id_ = 0;
};

TEST_F(EngineTest, RefusesToStartWithOptionsThatDoNotFit) {
  EngineOptions options = SmallOptions();
  options.kv_pages = 1;
  Engine engine(&model_, options, clock_);
  EXPECT_THAT(engine.Start(), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("kv_pages")));
}

TEST_F(EngineTest, PassesOnThatTheCacheCannotBeHad) {
  model_.most_pages = 39;
  Engine engine(&model_, SmallOptions(), clock_);
  EXPECT_THAT(engine.Start(), StatusIs(absl::StatusCode::kResourceExhausted, HasSubstr("cache")));
}

TEST_F(EngineTest, TakesNoRequestBeforeItIsStarted) {
  Engine engine(&model_, SmallOptions(), clock_);
  EXPECT_THAT(engine.Submit(TextRequest(5, 5), std::make_shared<RecordingSink>()),
              StatusIs(absl::StatusCode::kUnavailable, testing::_));
}

TEST_F(EngineTest, AnswersRequestsFromManyThreads) {
  StartEngine();
  std::vector<std::thread> clients;
  for (int i = 0; i < 4; ++i) {
    clients.emplace_back([this, i] {
      const Request request = TextRequest(20 + i, 30, i);
      auto sink = std::make_shared<RecordingSink>();
      ASSERT_THAT(engine_->Submit(request, sink), IsOk());
      sink->WaitForEnd();
      EXPECT_EQ(sink->answers(), Expected(request));
    });
  }
  for (std::thread& client : clients) client.join();
}

TEST_F(EngineTest, RefusesABadRequestAndGoesOn) {
  StartEngine();
  Request bad = TextRequest(5, 5);
  bad.sampling.temperature = 3.0f;
  EXPECT_THAT(engine_->Submit(bad, std::make_shared<RecordingSink>()),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("temperature")));
  Submit(TextRequest(5, 5))->WaitForEnd();
}

TEST_F(EngineTest, RefusesWhenTheQueueIsFull) {  // C016
  EngineOptions options = SmallOptions();
  options.max_running = 1;
  options.max_waiting = 2;
  StartEngine(options);
  gate_.Shut();
  const auto running = Submit(TextRequest(5, 3));
  gate_.WaitForEngine();
  const auto second = Submit(TextRequest(5, 3)), third = Submit(TextRequest(5, 3));
  EXPECT_EQ(engine_->Stats().waiting, 2);
  EXPECT_EQ(engine_->Stats().running, 1);
  EXPECT_THAT(engine_->Submit(TextRequest(5, 3), std::make_shared<RecordingSink>()),
              StatusIs(absl::StatusCode::kResourceExhausted, HasSubstr("queue is full")));
  gate_.Open();
  third->WaitForEnd();
  EXPECT_THAT(engine_->Submit(TextRequest(5, 3), std::make_shared<RecordingSink>()), IsOk());
}

TEST_F(EngineTest, SendsNothingAfterACancelWhileTheModelComputes) {  // C034
  StartEngine();
  // Shut beforehand: all 600 tokens take less time than this thread may have to wait for its turn.
  gate_.ShutAfter(3);
  const auto cancelled = Submit(TextRequest(5, 600));
  const uint64_t id = last_id_;
  gate_.WaitForEngine();
  EXPECT_EQ(cancelled->tokens(), 3);
  const int events = cancelled->events();
  engine_->Cancel(id);
  const auto next = Submit(TextRequest(5, 3));
  gate_.Open();
  next->WaitForEnd();
  EXPECT_EQ(cancelled->events(), events);
  EXPECT_EQ(cancelled.use_count(), 1) << "the sink is dropped before the next step begins";
}

TEST_F(EngineTest, ForgetsARequestCancelledWhileItWaits) {
  EngineOptions options = SmallOptions();
  options.max_running = 1;
  StartEngine(options);
  gate_.Shut();
  const auto first = Submit(TextRequest(5, 3));
  gate_.WaitForEngine();
  const auto waiting = Submit(TextRequest(5, 3));
  engine_->Cancel(last_id_);
  EXPECT_EQ(engine_->Stats().waiting, 0);
  gate_.Open();
  first->WaitForEnd();
  Submit(TextRequest(5, 3))->WaitForEnd();
  EXPECT_EQ(waiting->events(), 0);
}

TEST_F(EngineTest, HoldsASlowReaderBackUntilItIsWoken) {  // C035
  StartEngine();
  const Request request = TextRequest(10, 50);
  auto slow = std::make_shared<RecordingSink>();
  slow->SetAllowance(4);
  ASSERT_THAT(engine_->Submit(request, slow), IsOk());
  slow->WaitForTokens(4);
  Submit(TextRequest(10, 50))->WaitForEnd();
  EXPECT_EQ(slow->tokens(), 4);
  slow->SetAllowance(-1);
  engine_->Wake();
  slow->WaitForEnd();
  EXPECT_EQ(slow->answers(), Expected(request));
}

TEST_F(EngineTest, SleepsWhileAllReadersAreSlow) {
  StartEngine();
  auto slow = std::make_shared<RecordingSink>();
  slow->SetAllowance(4);
  ASSERT_THAT(engine_->Submit(TextRequest(10, 50), slow), IsOk());
  slow->WaitForTokens(4);
  for (int i = 0; i < 20; ++i) engine_->Wake();
  // One pass for the prompt, three for tokens, one turn to find that it is held back, and one for
  // each wake-up.
  EXPECT_LE(slow->asked(), 5 + 20);
  engine_->Stop(absl::ZeroDuration());
  EXPECT_LE(slow->asked(), 6 + 20);
}

TEST_F(EngineTest, StatsReturnToZero) {  // C140
  StartEngine();
  Submit(TextRequest(10, 50))->WaitForEnd();
  const auto cancelled = Submit(TextRequest(10, 600));
  cancelled->WaitForTokens(1);
  engine_->Cancel(last_id_);
  Submit(TextRequest(10, 1))->WaitForEnd();
  engine_->Stop(absl::ZeroDuration());
  const EngineStats stats = engine_->Stats();
  EXPECT_EQ(stats.running, 0);
  EXPECT_EQ(stats.waiting, 0);
  EXPECT_EQ(stats.kv_pages_used, 0);
  EXPECT_FALSE(stats.runnable);
  EXPECT_GE(stats.steps, 52u);
  EXPECT_GE(stats.generated_tokens, 52u);
}

TEST_F(EngineTest, StopLetsRunningRequestsFinishAndFailsWaitingOnes) {  // C133
  EngineOptions options = SmallOptions();
  options.max_running = 1;
  StartEngine(options);
  gate_.Shut();
  const Request request = TextRequest(10, 50);
  const auto running = Submit(request);
  gate_.WaitForEngine();
  const auto waiting = Submit(TextRequest(5, 3));
  std::thread stopper([this] { engine_->Stop(absl::InfiniteDuration()); });
  while (!absl::IsUnavailable(
      engine_->Submit(TextRequest(5, 3), std::make_shared<RecordingSink>()).status())) {
    std::this_thread::yield();
  }
  gate_.Open();
  stopper.join();
  EXPECT_EQ(running->answers(), Expected(request));
  ASSERT_TRUE(waiting->failure().has_value());
  EXPECT_THAT(*waiting->failure(), StatusIs(absl::StatusCode::kUnavailable, HasSubstr("stopping")));
  EXPECT_EQ(waiting->events(), 1);
}

TEST_F(EngineTest, StopFailsWhatIsLeftAfterTheGrace) {
  StartEngine();
  auto held = std::make_shared<RecordingSink>();
  held->SetAllowance(2);
  ASSERT_THAT(engine_->Submit(TextRequest(10, 600), held), IsOk());
  held->WaitForTokens(2);
  engine_->Stop(absl::ZeroDuration());
  ASSERT_TRUE(held->failure().has_value());
  EXPECT_THAT(*held->failure(), StatusIs(absl::StatusCode::kUnavailable, HasSubstr("stopping")));
  EXPECT_EQ(held.use_count(), 1);
}

TEST_F(EngineTest, TakesNoRequestAfterStop) {
  StartEngine();
  engine_->Stop(absl::ZeroDuration());
  EXPECT_THAT(engine_->Submit(TextRequest(5, 5), std::make_shared<RecordingSink>()),
              StatusIs(absl::StatusCode::kUnavailable, HasSubstr("stopping")));
  engine_->Stop(absl::ZeroDuration());
  engine_->Cancel(1);
  engine_->Wake();
}

TEST_F(EngineTest, EndsItsThreadWhenDestroyedWithRunningRequests) {
  StartEngine();
  const auto sink = Submit(TextRequest(10, 600));
  sink->WaitForTokens(1);
  engine_.reset();
  EXPECT_TRUE(sink->ended());
}

}  // namespace
}  // namespace switchboard::engine
