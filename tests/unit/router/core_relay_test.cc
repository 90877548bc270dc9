// From the worker to the client, and what goes wrong on the way.
#include <gmock/gmock.h>

#include "tests/support/status_matchers.h"
#include "tests/unit/router/core_fixture.h"

namespace switchboard::router {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using CoreRelayTest = CoreTest;

TEST_F(CoreRelayTest, AStreamIsForwardedEventByEventAndEndsOnce) {
  Connect(0);
  Arrive();
  EXPECT_THAT(Did(), ElementsAre("start 1@0"));
  EXPECT_EQ(attempt_id_, "r1/1");
  core_->AttemptEvent(1, Accepted(), 10);
  EXPECT_THAT(Did(), ElementsAre("forward", "read 1"));
  core_->AttemptEvent(1, Tokens(0, {5, 6}), 10);
  EXPECT_THAT(Did(), ElementsAre("forward", "read 1"));
  core_->AttemptEvent(1, Finished(), 10);
  EXPECT_THAT(Did(), ElementsAre("forward", "read 1"));
  core_->AttemptEnded(1, absl::OkStatus(), absl::ZeroDuration());
  EXPECT_THAT(Did(), ElementsAre("forget 1", "finish OK"));
  EXPECT_EQ(core_->counts().running, 0u);
  EXPECT_EQ(core_->counts().attempts, 0u);
}

TEST_F(CoreRelayTest, TheNextEventIsReadOnlyWhenTheClientHasRoom) {
  Build({.client_window_bytes = 100});
  Connect(0);
  const RequestKey request = Arrive();
  Did();
  core_->AttemptEvent(1, Accepted(), 60);
  EXPECT_THAT(Did(), ElementsAre("forward", "read 1"));
  core_->AttemptEvent(1, Tokens(0, {1}), 40);
  EXPECT_THAT(Did(), ElementsAre("forward"));
  core_->ClientWrote(request, 1);
  EXPECT_THAT(Did(), ElementsAre("read 1"));
  core_->ClientWrote(request, 99);
  EXPECT_THAT(Did(), IsEmpty());
}

TEST_F(CoreRelayTest, AGapEndsTheRequestAndCancelsTheWork) {
  Connect(0);
  Arrive();
  core_->AttemptEvent(1, Accepted(), 1);
  core_->AttemptEvent(1, Tokens(0, {1}), 1);
  Did();
  core_->AttemptEvent(1, Tokens(2, {3}), 1);
  EXPECT_THAT(Did(), ElementsAre("cancel 1", "read 1", "finish INTERNAL"));
  EXPECT_EQ(status_.message(), "worker a sent position 2 of choice 0 where 1 is due");
  core_->AttemptEvent(1, Tokens(3, {4}), 1);  // was on the way
  EXPECT_THAT(Did(), ElementsAre("read 1"));
  core_->AttemptEnded(1, absl::CancelledError(), absl::ZeroDuration());
  EXPECT_THAT(Did(), ElementsAre("forget 1"));
}

TEST_F(CoreRelayTest, AnEndBeforeEveryChoiceHasEndedIsAnError) {
  Connect(0);
  Arrive({.choices = 2});
  core_->AttemptEvent(1, Accepted(), 1);
  core_->AttemptEvent(1, Finished(0), 1);
  Did();
  core_->AttemptEnded(1, absl::OkStatus(), absl::ZeroDuration());
  EXPECT_THAT(Did(), ElementsAre("forget 1", "finish INTERNAL"));
  EXPECT_THAT(std::string(status_.message()), HasSubstr("before choice 1 did"));
}

TEST_F(CoreRelayTest, AClientThatLeavesCancelsItsWorkAtOnce) {
  Connect(0);
  const RequestKey request = Arrive();
  Did();
  core_->ClientLeft(request);
  EXPECT_THAT(Did(), ElementsAre("cancel 1", "finish CANCELLED"));
  EXPECT_EQ(core_->counts().attempts, 1u);
  core_->ClientWrote(request, 5);
  core_->ClientLeft(request);
  EXPECT_THAT(Did(), IsEmpty());
  core_->AttemptEnded(1, absl::CancelledError(), absl::ZeroDuration());
  EXPECT_THAT(Did(), ElementsAre("forget 1"));
  EXPECT_EQ(core_->counts().attempts, 0u);
}

TEST_F(CoreRelayTest, AWorkerLostBeforeTheFirstTokenIsReplaced) {
  Connect(0);
  Arrive();
  core_->AttemptEvent(1, Accepted(), 1);
  Connect(1);
  Did();
  core_->AttemptEnded(1, absl::UnavailableError("Socket closed"), absl::ZeroDuration());
  EXPECT_THAT(Did(), ElementsAre("forget 1", "start 2@1"));
  EXPECT_EQ(attempt_id_, "r1/2");
  core_->AttemptEvent(2, Accepted(), 1);  // the client has one already
  EXPECT_THAT(Did(), ElementsAre("read 2"));
  core_->AttemptEvent(2, Tokens(0, {1}), 1);
  EXPECT_THAT(Did(), ElementsAre("forward", "read 2"));
}

TEST_F(CoreRelayTest, AfterAcceptedOnlyAWorkerOfTheSameFingerprintTakesOver) {
  Connect(0);
  Arrive();
  core_->AttemptEvent(1, Accepted("f"), 1);
  WorkerReport other = ReportOf("b");
  other.models[0].fingerprint = "g";
  core_->Reported(1, other);
  Did();
  core_->AttemptEnded(1, absl::UnavailableError("gone"), absl::ZeroDuration());
  EXPECT_THAT(Did(), ElementsAre("forget 1", "finish UNAVAILABLE"));
}

TEST_F(CoreRelayTest, AWorkerLostAfterTheFirstTokenEndsTheStreamWithAClearError) {
  Connect(0);
  Arrive();
  core_->AttemptEvent(1, Accepted(), 1);
  core_->AttemptEvent(1, Tokens(0, {1, 2, 3}), 1);
  Connect(1);
  Did();
  core_->AttemptEnded(1, absl::UnavailableError("Socket closed"), absl::ZeroDuration());
  EXPECT_THAT(Did(), ElementsAre("forget 1", "finish UNAVAILABLE"));
  EXPECT_EQ(status_.message(), "worker lost: a broke the stream after 3 tokens: Socket closed");
}

TEST_F(CoreRelayTest, WithoutAnotherWorkerALossIsSaidAtOnce) {
  Connect(0);
  Arrive();
  Did();
  core_->AttemptEnded(1, absl::UnavailableError("Socket closed"), absl::ZeroDuration());
  EXPECT_THAT(Did(), ElementsAre("forget 1", "finish UNAVAILABLE"));
  EXPECT_EQ(status_.message(),
            "worker lost: a: Socket closed; no other worker is available after 1 attempts");
  EXPECT_GT(retry_after_, absl::ZeroDuration());
}

TEST_F(CoreRelayTest, TheRequestsOwnErrorPassesUnchangedAndIsNotHeldAgainstTheWorker) {
  Connect(0);
  Arrive();
  Did();
  core_->AttemptEnded(1, absl::InvalidArgumentError("top_p: 2 is above 1"), absl::ZeroDuration());
  EXPECT_THAT(Did(), ElementsAre("forget 1", "finish INVALID_ARGUMENT"));
  EXPECT_EQ(status_, absl::InvalidArgumentError("top_p: 2 is above 1"));
  EXPECT_EQ(retry_after_, absl::ZeroDuration());
  Arrive();
  EXPECT_THAT(Did(), ElementsAre("start 2@0"));
}

TEST_F(CoreRelayTest, ARefusalSendsTheRequestToAnotherWorker) {
  Connect(0);
  Arrive();
  Connect(1);
  Did();
  core_->AttemptEnded(1, absl::ResourceExhaustedError("full"), absl::ZeroDuration());
  EXPECT_THAT(Did(), ElementsAre("forget 1", "start 2@1"));
}

TEST_F(CoreRelayTest, TheOnlyWorkerIsAskedAgainAfterItsRefusalHasCooled) {
  Connect(0);
  Arrive();
  Did();
  core_->AttemptEnded(1, absl::ResourceExhaustedError("full"), absl::ZeroDuration());
  EXPECT_THAT(Did(), ElementsAre("forget 1"));
  EXPECT_EQ(core_->NextWake(), absl::Milliseconds(100));
  clock_.Advance(absl::Milliseconds(99));
  core_->Tick();
  EXPECT_THAT(Did(), IsEmpty());
  clock_.Advance(absl::Milliseconds(2));  // a timer that comes late
  EXPECT_EQ(core_->NextWake(), absl::Milliseconds(100));
  core_->Tick();
  EXPECT_THAT(Did(), ElementsAre("start 2@0"));
}

TEST_F(CoreRelayTest, ARequestIsTriedThreeTimesAtMost) {
  Connect(0);
  Arrive();
  for (AttemptKey attempt = 1; attempt <= 3; ++attempt) {
    Did();
    core_->AttemptEnded(attempt, absl::ResourceExhaustedError("full"), absl::Milliseconds(200));
    clock_.Advance(absl::Milliseconds(200));
    core_->Tick();
  }
  EXPECT_THAT(Did(), ElementsAre("forget 3", "finish RESOURCE_EXHAUSTED"));
  EXPECT_EQ(status_.message(), "worker refused: a: full; given up after 3 attempts");
}

TEST_F(CoreRelayTest, ANewIncarnationMeansThatEarlierStreamsAreGone) {
  Connect(0);
  Arrive();
  Did();
  core_->Reported(0, ReportOf("a", "j"));
  EXPECT_THAT(Did(), ElementsAre("cancel 1", "start 2@0"));
  core_->AttemptEnded(1, absl::UnavailableError("reset"), absl::ZeroDuration());
  EXPECT_THAT(Did(), ElementsAre("forget 1"));
}

TEST_F(CoreRelayTest, ASilentWorkerIsLostWithItsStreams) {
  Connect(0);
  Arrive();
  clock_.Advance(absl::Seconds(1));
  Connect(1);
  Did();
  EXPECT_EQ(core_->NextWake(), absl::Seconds(10));
  clock_.Advance(absl::Seconds(9));
  core_->Tick();
  EXPECT_THAT(Did(), ElementsAre("cancel 1", "start 2@1"));
  EXPECT_EQ(core_->counts().workers, 1);
}

TEST_F(CoreRelayTest, TokensAreASignOfLife) {
  Connect(0);
  Arrive();
  clock_.Advance(absl::Seconds(9));
  core_->AttemptEvent(1, Accepted(), 1);
  EXPECT_EQ(core_->NextWake(), absl::Seconds(19));
}

TEST_F(CoreRelayTest, ABrokenWatchLeavesRunningStreamsAlone) {
  Connect(0);
  Arrive();
  Did();
  core_->WorkerLost(0);
  EXPECT_THAT(Did(), IsEmpty());
  core_->AttemptEvent(1, Accepted(), 1);
  EXPECT_THAT(Did(), ElementsAre("forward", "read 1"));
}

}  // namespace
}  // namespace switchboard::router
