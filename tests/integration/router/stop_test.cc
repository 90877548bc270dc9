// Starting and stopping.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "tests/integration/router/harness.h"
#include "tests/support/status_matchers.h"

namespace switchboard::router {
namespace {

using ::testing::HasSubstr;

TEST(StopTest, RunningStreamsFinishAndNewcomersAreRefused) {
  Cluster cluster(Workers(1));
  Call running(cluster.stub(), RequestFor("hello", 300, 1000));
  ASSERT_TRUE(running.ReadTokens(1));
  std::thread stopper([&] { cluster.router().Stop(absl::Seconds(60)); });
  ASSERT_TRUE(Eventually([&] { return !cluster.router().Ready(); }));
  Call newcomer(cluster.stub(), RequestFor("hello", 1));
  EXPECT_EQ(newcomer.Finish().status, absl::UnavailableError("the router is shutting down"));
  EXPECT_TRUE(newcomer.seen().retry_after.has_value());
  EXPECT_THAT(running.Finish().status, IsOk());
  EXPECT_EQ(running.seen().tokens[0].size(), 300u);
  stopper.join();
}

TEST(StopTest, WhatStillRunsAfterTheGraceIsEndedWithAClearError) {
  Cluster cluster(Workers(1));
  Call running(cluster.stub(), RequestFor("[[hang-after 1]]", 5));
  ASSERT_TRUE(running.ReadTokens(1));
  cluster.router().Stop(absl::ZeroDuration());
  EXPECT_EQ(running.Finish().status, absl::UnavailableError("the router has been shut down"));
  EXPECT_TRUE(Eventually([&] { return cluster.worker(0).counts().running == 0; }));
}

TEST(StopTest, ACardThatIsBeingFetchedDoesNotHoldUpTheStop) {
  doubles::DoubleOptions silent;
  silent.hang_cards = true;
  Cluster cluster({silent});
  std::thread asker([&] {
    grpc::ClientContext context;
    v1::GetModelCardRequest request;
    request.set_name("double");
    v1::ModelCard card;
    const grpc::Status status = cluster.stub()->GetModelCard(&context, request, &card);
    EXPECT_EQ(status.error_code(), grpc::StatusCode::UNAVAILABLE);
    EXPECT_EQ(status.error_message(), "the router is shutting down");
  });
  ASSERT_TRUE(Eventually([&] { return cluster.worker(0).card_calls() == 1; }));
  const absl::Duration start = SystemClock().Monotonic();
  cluster.router().Stop(absl::ZeroDuration());
  EXPECT_LT(SystemClock().Monotonic() - start, absl::Seconds(15));
  asker.join();
}

TEST(StopTest, ARouterStopsThoughItsWorkerWasNeverThere) {
  prometheus::Registry registry;
  Probe probe(&registry, {"127.0.0.1:1"});
  Router router(
      {*rpc::ParseListenAddress("127.0.0.1:0"), {*rpc::ParseDialAddress("127.0.0.1:1")}, {}},
      &SystemClock(), &probe);
  ASSERT_THAT(router.Start(), IsOk());
  EXPECT_FALSE(router.Ready());
  router.Stop(absl::Seconds(60));
}

TEST(StopTest, AnAddressInUseIsSaidAndLeavesNothingRunning) {
  Cluster cluster(Workers(1));
  prometheus::Registry registry;
  Probe probe(&registry, {"127.0.0.1:1"});
  Router router({cluster.router().address(), {*rpc::ParseDialAddress("127.0.0.1:1")}, {}},
                &SystemClock(), &probe);
  EXPECT_THAT(router.Start(), StatusIs(absl::StatusCode::kUnavailable,
                                       HasSubstr(cluster.router().address().ToString() +
                                                 ": the address is in use")));
}

}  // namespace
}  // namespace switchboard::router
