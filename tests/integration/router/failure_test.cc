// Workers that die, lie or come back.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "tests/integration/router/harness.h"
#include "tests/support/status_matchers.h"

namespace switchboard::router {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(FailureTest, AWorkerKilledBeforeTheFirstTokenIsReplaced) {
  doubles::DoubleOptions hanging;
  hanging.faults.hang = true;
  Cluster cluster({hanging, {}});
  cluster.worker(1).SetDraining(true);
  // Once the router knows, everything goes to the hanging one.
  ASSERT_TRUE(Eventually([&] { return cluster.router().AvailableWorkers() == 1; }));
  Call call(cluster.stub(), RequestFor("hello", 20));
  ASSERT_TRUE(Eventually([&] { return cluster.worker(0).counts().running == 1; }));
  cluster.worker(1).SetDraining(false);
  ASSERT_TRUE(Eventually([&] { return cluster.router().AvailableWorkers() == 2; }));

  cluster.KillWorker(0);
  const Seen& seen = call.Finish();
  EXPECT_THAT(seen.status, IsOk());
  EXPECT_EQ(seen.fault, "");
  EXPECT_EQ(seen.worker, "b");
  EXPECT_EQ(seen.tokens[0].size(), 20u);
  EXPECT_EQ(cluster.Metric("switchboard_router_retries_total"), 1);
}

TEST(FailureTest, AWorkerKilledAfterTheFirstTokenIsAClearError) {
  Cluster cluster(Workers(1));
  Call call(cluster.stub(), RequestFor("hello", 1'000'000, 1000));
  ASSERT_TRUE(call.ReadTokens(3));
  std::thread killer([&] { cluster.KillWorker(0); });
  const Seen& seen = call.Finish();
  killer.join();
  EXPECT_THAT(seen.status, StatusIs(absl::StatusCode::kUnavailable,
                                    StartsWith("worker lost: a broke the stream after ")));
  EXPECT_EQ(seen.fault, "");
}

TEST(FailureTest, AStreamBrokenByItsWorkerIsAClearErrorAndOthersGoOn) {
  Cluster cluster(Workers(2));
  Call other(cluster.stub(), RequestFor("hello", 1'000'000, 1000));
  ASSERT_TRUE(other.ReadTokens(1));
  const std::string broken = other.seen().worker == "a" ? "b" : "a";  // the less loaded one
  EXPECT_EQ(Call(cluster.stub(), RequestFor("[[break-after 4]]", 10)).Finish().status,
            absl::UnavailableError("worker lost: " + broken +
                                   " broke the stream after 4 tokens: broken off as asked"));
  EXPECT_TRUE(other.ReadTokens(other.seen().tokens[0].size() + 100));
  EXPECT_EQ(other.seen().fault, "");
}

TEST(FailureTest, AnInternalErrorOfTheWorkerPassesUnchanged) {
  Cluster cluster(Workers(2));
  EXPECT_EQ(Call(cluster.stub(), RequestFor("[[fail-after 2]]", 10)).Finish().status,
            absl::InternalError("failed as asked"));
  EXPECT_EQ(cluster.Metric("switchboard_router_retries_total"), 0);
}

TEST(FailureTest, AGapInThePositionsIsAnError) {
  Cluster cluster(Workers(1));
  Call call(cluster.stub(), RequestFor("[[gap-after 3]]", 10));
  EXPECT_EQ(call.Finish().status,
            absl::InternalError("worker a sent position 4 of choice 0 where 3 is due"));
  EXPECT_EQ(call.seen().tokens[0].size(), 3u);
  EXPECT_EQ(call.seen().fault, "");
  EXPECT_TRUE(Eventually([&] { return cluster.worker(0).counts().running == 0; }));
}

TEST(FailureTest, ARefusalIsTakenElsewhereAndGivenUpAfterThreeAttempts) {
  Cluster cluster(Workers(2));
  Call call(cluster.stub(), RequestFor("[[refuse RESOURCE_EXHAUSTED]]", 10));
  EXPECT_THAT(call.Finish().status, StatusIs(absl::StatusCode::kResourceExhausted,
                                             HasSubstr("given up after 3 attempts")));
  EXPECT_TRUE(call.seen().retry_after.has_value());
  EXPECT_EQ(cluster.Metric("switchboard_router_retries_total"), 2);
}

TEST(FailureTest, WithoutWorkersTheAnswerIsUnavailableAtOnce) {
  Cluster cluster(Workers(1));
  cluster.KillWorker(0);
  ASSERT_TRUE(Eventually([&] { return cluster.router().ConnectedWorkers() == 0; }));
  Call call(cluster.stub(), RequestFor("hello", 10));
  EXPECT_EQ(call.Finish().status, absl::UnavailableError("no worker is available"));
  ASSERT_TRUE(call.seen().retry_after.has_value());
  EXPECT_GE(*call.seen().retry_after, absl::Milliseconds(800));
}

TEST(FailureTest, AWorkerThatComesBackIsUsedAgain) {
  Cluster cluster(Workers(1));
  Call before(cluster.stub(), RequestFor("[[hang-after 1]]", 10));
  ASSERT_TRUE(before.ReadTokens(1));
  cluster.RestartWorker(0);
  EXPECT_EQ(before.Finish().status.code(), absl::StatusCode::kUnavailable);
  ASSERT_TRUE(Eventually([&] {
    Call call(cluster.stub(), RequestFor("hello", 10));
    return call.Finish().status.ok() && call.seen().tokens[0].size() == 10;
  }));
}

}  // namespace
}  // namespace switchboard::router
