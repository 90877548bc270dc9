#include "worker/engine/inbox.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "tests/support/status_matchers.h"
#include "tests/unit/worker/engine/recording_sink.h"

namespace switchboard::engine {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class InboxTest : public testing::Test {
 protected:
  InboxTest() { inbox_.Open(); }

  absl::StatusOr<uint64_t> Put() {
    return inbox_.Put(Request(), std::make_shared<RecordingSink>(), absl::Seconds(1));
  }

  Inbox inbox_{2};
};

TEST_F(InboxTest, HandsOverWhatCameInOrder) {
  ASSERT_EQ(Put().value(), 1u);
  ASSERT_EQ(Put().value(), 2u);
  const Mail mail = inbox_.Take(absl::InfiniteDuration());
  ASSERT_EQ(mail.arrivals.size(), 2u);
  EXPECT_EQ(mail.arrivals[0].id, 1u);
  EXPECT_EQ(mail.arrivals[1].id, 2u);
  EXPECT_EQ(mail.arrivals[1].submitted_at, absl::Seconds(1));
  EXPECT_THAT(inbox_.Take(absl::ZeroDuration()).arrivals, IsEmpty());
}

TEST_F(InboxTest, RefusesWhenTooManyWait) {
  ASSERT_THAT(Put(), IsOk());
  ASSERT_THAT(Put(), IsOk());
  EXPECT_THAT(Put(), StatusIs(absl::StatusCode::kResourceExhausted, HasSubstr("2 requests")));
}

TEST_F(InboxTest, CountsTakenRequestsUntilTheyAreReportedStarted) {
  ASSERT_THAT(Put(), IsOk());
  ASSERT_THAT(Put(), IsOk());
  inbox_.Take(absl::ZeroDuration());
  EXPECT_EQ(inbox_.waiting(), 2);
  EXPECT_THAT(Put(), StatusIs(absl::StatusCode::kResourceExhausted, HasSubstr("full")));
  inbox_.SetWaiting(1);
  EXPECT_THAT(Put(), IsOk());
  EXPECT_EQ(inbox_.waiting(), 2);
}

TEST_F(InboxTest, RefusesWhenClosedOrNotYetOpen) {
  Inbox fresh(2);
  EXPECT_THAT(fresh.Put(Request(), nullptr, absl::ZeroDuration()),
              StatusIs(absl::StatusCode::kUnavailable, HasSubstr("stopping")));
  inbox_.Close(absl::Seconds(5));
  EXPECT_THAT(Put(), StatusIs(absl::StatusCode::kUnavailable, HasSubstr("stopping")));
}

TEST_F(InboxTest, ForgetsACancelledRequestThatWasNotTaken) {
  const auto sink = std::make_shared<RecordingSink>();
  const uint64_t id = inbox_.Put(Request(), sink, absl::ZeroDuration()).value();
  inbox_.Cancel(id);
  EXPECT_EQ(sink.use_count(), 1);
  EXPECT_EQ(inbox_.waiting(), 0);
  const Mail mail = inbox_.Take(absl::ZeroDuration());
  EXPECT_THAT(mail.arrivals, IsEmpty());
  EXPECT_THAT(mail.cancelled, IsEmpty());
}

TEST_F(InboxTest, HandsOverCancelsOfTakenRequests) {
  const uint64_t id = Put().value();
  inbox_.Take(absl::ZeroDuration());
  inbox_.Cancel(id);
  EXPECT_THAT(inbox_.TakeCancelled(), ElementsAre(id));
  EXPECT_THAT(inbox_.Take(absl::ZeroDuration()).cancelled, IsEmpty());
}

TEST_F(InboxTest, DoesNotLoseAWakeUpThatComesBeforeTheWait) {
  inbox_.Wake();
  inbox_.Take(absl::InfiniteDuration());
}

TEST_F(InboxTest, WaitsForEachKindOfNews) {
  for (int kind = 0; kind < 3; ++kind) {
    std::thread sender([&] {
      if (kind == 0) inbox_.Wake();
      if (kind == 1) inbox_.Cancel(77);
      if (kind == 2) inbox_.Close(absl::Seconds(5));
    });
    const Mail mail = inbox_.Take(absl::InfiniteDuration());
    EXPECT_EQ(mail.cancelled.size(), kind == 1 ? 1u : 0u);
    EXPECT_EQ(mail.stop_by.has_value(), kind == 2);
    sender.join();
  }
}

TEST_F(InboxTest, KeepsTheEarliestTimeToStop) {
  inbox_.Close(absl::Seconds(5));
  inbox_.Close(absl::Seconds(9));
  EXPECT_EQ(inbox_.Take(absl::ZeroDuration()).stop_by, absl::Seconds(5));
}

}  // namespace
}  // namespace switchboard::engine
