// From the client's call over the queue to a worker.
#include <gmock/gmock.h>

#include "tests/support/status_matchers.h"
#include "tests/unit/router/core_fixture.h"

namespace switchboard::router {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using CorePlacingTest = CoreTest;

TEST_F(CorePlacingTest, WithoutAnyWorkerTheAnswerIsUnavailableAtOnce) {
  Arrive();
  EXPECT_THAT(Did(), ElementsAre("finish UNAVAILABLE"));
  EXPECT_EQ(status_.message(), "no worker is available");
  // 2 s, give or take 20 %.
  EXPECT_GE(retry_after_, absl::Milliseconds(1600));
  EXPECT_LE(retry_after_, absl::Milliseconds(2400));
}

TEST_F(CorePlacingTest, AnUnknownModelIsNotFound) {
  Connect(0);
  Arrive({.model = "gpt-9"});
  EXPECT_THAT(Did(), ElementsAre("finish NOT_FOUND"));
  EXPECT_EQ(status_.message(), "the model \"gpt-9\" does not exist");
  EXPECT_EQ(retry_after_, absl::ZeroDuration());
}

TEST_F(CorePlacingTest, AModelWhoseWorkerIsGoneIsUnavailableNotUnknown) {
  Connect(0);
  WorkerReport other = ReportOf("b");
  other.models[0].name = "n";
  core_->Reported(1, other);
  core_->WorkerLost(1);
  Arrive({.model = "n"});
  EXPECT_THAT(Did(), ElementsAre("finish UNAVAILABLE"));
  EXPECT_EQ(status_.message(), "no worker is available for the model \"n\"");
}

TEST_F(CorePlacingTest, AForeignFingerprintIsRefused) {
  Connect(0);
  Arrive({.fingerprint = "old"});
  EXPECT_THAT(Did(), ElementsAre("finish FAILED_PRECONDITION"));
  EXPECT_THAT(std::string(status_.message()), HasSubstr("fingerprint old"));
}

TEST_F(CorePlacingTest, AFingerprintChoosesAmongWorkersOfOneName) {
  Connect(0);
  WorkerReport other = ReportOf("b");
  other.models[0].fingerprint = "g";
  core_->Reported(1, other);
  Arrive({.fingerprint = "g"});
  Arrive({.fingerprint = "f"});
  EXPECT_THAT(Did(), ElementsAre("start 1@1", "start 2@0"));
}

TEST_F(CorePlacingTest, TheLeastLoadedWorkerIsChosen) {
  Connect(0);
  Arrive();
  Connect(1);
  Arrive();
  EXPECT_THAT(Did(), ElementsAre("start 1@0", "start 2@1"));
}

TEST_F(CorePlacingTest, ReportedWaitingCountsAsLoad) {
  WorkerReport busy = ReportOf("a");
  busy.waiting = 1;
  busy.max_waiting = 10;
  core_->Reported(0, busy);
  Connect(1);
  Arrive();
  EXPECT_THAT(Did(), ElementsAre("start 1@1"));
}

TEST_F(CorePlacingTest, ADrainingWorkerGetsNothing) {
  WorkerReport draining = ReportOf("a");
  draining.draining = true;
  core_->Reported(0, draining);
  Connect(1);
  for (int i = 0; i < 3; ++i) Arrive();
  EXPECT_THAT(Did(), ElementsAre("start 1@1", "start 2@1"));
}

TEST_F(CorePlacingTest, WhatHasNoRoomWaitsInOrder) {
  Connect(0);
  for (int i = 0; i < 4; ++i) Arrive();
  EXPECT_THAT(Did(), ElementsAre("start 1@0", "start 2@0"));
  EXPECT_EQ(core_->counts().waiting, 2u);
  core_->AttemptEnded(2, absl::InvalidArgumentError("x"), absl::ZeroDuration());
  EXPECT_THAT(Did(), ElementsAre("forget 2", "finish INVALID_ARGUMENT", "start 3@0"));
  EXPECT_EQ(core_->counts().waiting, 1u);
}

TEST_F(CorePlacingTest, AFewRequestsWaitAtTheWorkerSoThatItNeverIdles) {
  WorkerReport report = ReportOf("a");
  report.max_waiting = 8;
  core_->Reported(0, report);
  for (int i = 0; i < 4; ++i) Arrive();
  // 2 run, 1 waits there (an eighth of 2, at least 1), the last one here.
  EXPECT_THAT(Did(), ElementsAre("start 1@0", "start 2@0", "start 3@0"));
}

TEST_F(CorePlacingTest, ARequestLargerThanAWorkerGetsItAlone) {
  Connect(0);
  Arrive({.choices = 5});
  Arrive();
  EXPECT_THAT(Did(), ElementsAre("start 1@0"));
}

TEST_F(CorePlacingTest, ABusyModelDoesNotHoldUpAnother) {
  Connect(0);
  WorkerReport other = ReportOf("b");
  other.models[0].name = "n";
  core_->Reported(1, other);
  for (int i = 0; i < 3; ++i) Arrive();
  Did();
  Arrive({.model = "n"});
  EXPECT_THAT(Did(), ElementsAre("start 3@1"));
}

TEST_F(CorePlacingTest, AFullQueueRefusesWithATimeToComeBack) {
  Build({.max_queued_requests = 1});
  Connect(0);
  for (int i = 0; i < 3; ++i) Arrive();
  Did();
  Arrive();
  EXPECT_THAT(Did(), ElementsAre("finish RESOURCE_EXHAUSTED"));
  EXPECT_EQ(status_.message(), "the queue is full: 1 requests wait for a worker");
  EXPECT_GE(retry_after_, absl::Milliseconds(800));
}

TEST_F(CorePlacingTest, ARequestCountsItsBytesUntilItsFirstToken) {
  Build({.max_held_bytes = 100});
  Connect(0);
  Arrive({.bytes = 60});
  EXPECT_THAT(Did(), ElementsAre("start 1@0"));
  Arrive({.bytes = 41});
  EXPECT_THAT(Did(), ElementsAre("finish RESOURCE_EXHAUSTED"));
  EXPECT_EQ(status_.message(), "requests without a token hold 60 bytes already, of 100");
  EXPECT_GE(retry_after_, absl::Milliseconds(800));
  core_->AttemptEvent(1, Accepted(), 1);
  EXPECT_EQ(core_->counts().held_bytes, 60u);
  core_->AttemptEvent(1, Tokens(0, {7}), 1);
  EXPECT_EQ(core_->counts().held_bytes, 0u);
  Arrive({.bytes = 100});
  EXPECT_EQ(core_->counts().held_bytes, 100u);
}

TEST_F(CorePlacingTest, WaitingRequestsCountTheirBytesAndGiveThemBackAtTheirEnd) {
  Build({.max_held_bytes = 100});
  Connect(0);
  for (int i = 0; i < 2; ++i) Arrive({.bytes = 10});
  const RequestKey waiting = Arrive({.bytes = 80});
  Did();
  Arrive({.bytes = 1});
  EXPECT_THAT(Did(), ElementsAre("finish RESOURCE_EXHAUSTED"));
  core_->ClientLeft(waiting);
  EXPECT_EQ(core_->counts().held_bytes, 20u);
  Arrive({.bytes = static_cast<size_t>(-1)});
  EXPECT_EQ(core_->counts().held_bytes, 20u);
}

TEST_F(CorePlacingTest, ABusyWorkerWithoutAStepIsReplacedAndUsedAgainAfterOne) {
  Build({.hang_limit = absl::Seconds(10)});
  WorkerReport report = ReportOf("a");
  core_->Reported(0, report);
  Arrive();
  EXPECT_THAT(Did(), ElementsAre("start 1@0"));
  report.running = 1;
  report.steps = 5;
  for (int second = 0; second < 10; ++second) {
    core_->Reported(0, report);  // it reports all the time
    EXPECT_THAT(Did(), IsEmpty());
    clock_.Advance(absl::Seconds(1));
  }
  Connect(1);
  EXPECT_EQ(core_->NextWake(), absl::Seconds(10));
  core_->Tick();
  EXPECT_THAT(Did(), ElementsAre("cancel 1", "start 2@1"));
  core_->Reported(0, report);
  EXPECT_EQ(core_->counts().available, 1);
  report.steps = 6;
  core_->Reported(0, report);
  EXPECT_EQ(core_->counts().available, 2);
}

TEST_F(CorePlacingTest, AnIdleWorkerMakesNoStepAndIsWell) {
  Build({.hang_limit = absl::Seconds(10)});
  for (int second = 0; second < 30; ++second) {
    Connect(0);
    core_->Tick();
    clock_.Advance(absl::Seconds(1));
  }
  WorkerReport report = ReportOf("a");
  report.running = 1;
  core_->Reported(0, report);
  core_->Tick();
  EXPECT_EQ(core_->counts().available, 1);
}

TEST_F(CorePlacingTest, AfterThirtySecondsInTheQueueARequestIsRefused) {
  Connect(0);
  for (int i = 0; i < 3; ++i) Arrive();
  Did();
  for (int second = 0; second < 29; ++second) {
    clock_.Advance(absl::Seconds(1));
    Connect(0);
    core_->Tick();
  }
  EXPECT_THAT(Did(), IsEmpty());
  EXPECT_EQ(core_->NextWake(), absl::Seconds(30));
  clock_.Advance(absl::Seconds(1));
  core_->Tick();
  EXPECT_THAT(Did(), ElementsAre("finish RESOURCE_EXHAUSTED"));
  EXPECT_EQ(status_.message(), "no worker had room within 30s");
}

TEST_F(CorePlacingTest, AHopelessWaitIsRefusedBeforeItBegins) {
  Build({.queue_limit = absl::Seconds(5)});
  WorkerReport report = ReportOf("a");
  report.max_running = 1;
  core_->Reported(0, report);
  for (AttemptKey attempt = 1; attempt <= 8; ++attempt) {  // each keeps the only place for 3 s
    Arrive();
    core_->AttemptEvent(attempt, Accepted(), 1);
    core_->AttemptEvent(attempt, Finished(), 1);
    clock_.Advance(absl::Seconds(3));
    core_->AttemptEnded(attempt, absl::OkStatus(), absl::ZeroDuration());
  }
  Arrive();  // runs
  Arrive();  // would wait 3 s
  Did();
  Arrive();  // would wait 6 s
  EXPECT_THAT(Did(), ElementsAre("finish RESOURCE_EXHAUSTED"));
  EXPECT_EQ(status_.message(),
            "the wait for a worker would be about 6 s, more than the limit of 5 s");
}

TEST_F(CorePlacingTest, AQueuedRequestWhoseClientLeavesIsForgotten) {
  Connect(0);
  for (int i = 0; i < 2; ++i) Arrive();
  const RequestKey third = Arrive();
  Did();
  core_->ClientLeft(third);
  EXPECT_THAT(Did(), ElementsAre("finish CANCELLED"));
  EXPECT_EQ(core_->counts().waiting, 0u);
}

TEST_F(CorePlacingTest, TheQueueIsToldWhenTheLastWorkerIsLost) {
  Connect(0);
  for (int i = 0; i < 3; ++i) Arrive();
  Did();
  core_->WorkerLost(0);
  EXPECT_THAT(Did(), ElementsAre("finish UNAVAILABLE"));
}

TEST_F(CorePlacingTest, AStoppingRouterTakesNoNewcomersButServesItsQueue) {
  Connect(0);
  for (int i = 0; i < 3; ++i) Arrive();
  Did();
  core_->Stop();
  Arrive();
  EXPECT_THAT(Did(), ElementsAre("finish UNAVAILABLE"));
  EXPECT_EQ(status_.message(), "the router is shutting down");
  core_->AttemptEnded(1, absl::InvalidArgumentError("x"), absl::ZeroDuration());
  EXPECT_THAT(Did(), ElementsAre("forget 1", "finish INVALID_ARGUMENT", "start 3@0"));
}

TEST_F(CorePlacingTest, ACardComesFromTheFirstWorkerThatServesItsModel) {
  EXPECT_THAT(core_->CardSource("m"),
              StatusIs(absl::StatusCode::kUnavailable, "no worker is available"));
  Connect(1);
  const auto source = core_->CardSource("m");
  ASSERT_THAT(source, IsOk());
  EXPECT_EQ(source->first, 1);
  EXPECT_EQ(source->second.fingerprint, "f");
  EXPECT_THAT(core_->CardSource("x"), StatusIs(absl::StatusCode::kNotFound, HasSubstr("\"x\"")));
}

}  // namespace
}  // namespace switchboard::router
