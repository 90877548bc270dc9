// More than fits: queues, refusals, and clients that leave.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "tests/integration/router/harness.h"
#include "tests/support/status_matchers.h"

namespace switchboard::router {
namespace {

using ::testing::HasSubstr;

doubles::DoubleOptions OnePlace() {
  doubles::DoubleOptions options;
  options.max_running = 1;
  options.max_waiting = 0;
  return options;
}

TEST(OverloadTest, AFullQueueRefusesAtOnceAndSaysWhenToComeBack) {
  Cluster cluster({OnePlace()}, {.max_queued_requests = 1});
  Call running(cluster.stub(), RequestFor("[[hang]]", 1));
  ASSERT_TRUE(Eventually([&] { return cluster.worker(0).counts().running == 1; }));
  Call waiting(cluster.stub(), RequestFor("hello", 1));
  ASSERT_TRUE(
      Eventually([&] { return cluster.Metric("switchboard_router_requests_waiting") == 1; }));

  Call refused(cluster.stub(), RequestFor("hello", 1));
  EXPECT_THAT(refused.Finish().status,
              StatusIs(absl::StatusCode::kResourceExhausted, HasSubstr("the queue is full")));
  ASSERT_TRUE(refused.seen().retry_after.has_value());
  EXPECT_GE(*refused.seen().retry_after, absl::Milliseconds(800));
  EXPECT_LE(*refused.seen().retry_after, absl::Seconds(36));

  running.Cancel();  // which frees the place at once
  EXPECT_THAT(waiting.Finish().status, IsOk());
}

TEST(OverloadTest, ARequestThatWaitsTooLongIsRefused) {
  Cluster cluster({OnePlace()}, {.queue_limit = absl::Milliseconds(50)});
  Call running(cluster.stub(), RequestFor("[[hang]]", 1));
  ASSERT_TRUE(Eventually([&] { return cluster.worker(0).counts().running == 1; }));
  Call waiting(cluster.stub(), RequestFor("hello", 1));
  EXPECT_EQ(waiting.Finish().status,
            absl::ResourceExhaustedError("no worker had room within 50ms"));
  EXPECT_TRUE(waiting.seen().retry_after.has_value());
}

TEST(OverloadTest, AClientThatLeavesStopsTheWorkAtOnce) {
  Cluster cluster(Workers(1));
  Call call(cluster.stub(), RequestFor("hello", 1'000'000, 1000, 4));
  ASSERT_TRUE(call.ReadTokens(1));
  EXPECT_EQ(cluster.worker(0).counts().running, 4);
  call.Cancel();
  EXPECT_TRUE(Eventually([&] { return cluster.worker(0).counts().running == 0; }));
}

TEST(OverloadTest, AStormOfTwoHundredDepartingClientsLeavesNothingBehind) {
  doubles::DoubleOptions small;
  small.max_running = 8;
  small.max_waiting = 8;
  Cluster cluster({small, small});
  std::atomic<int> next = 0;
  std::vector<std::thread> clients;
  for (int thread = 0; thread < 20; ++thread) {
    clients.emplace_back([&] {
      for (int i = next++; i < 200; i = next++) {
        Call call(cluster.stub(), RequestFor("hello", 1000, 500, 1 + i % 3));
        // Some leave before they are accepted, some after a few tokens.
        if (i % 2 == 0) call.ReadTokens(static_cast<size_t>(i) % 5);
        call.Cancel();
        EXPECT_EQ(call.Finish().fault, "");
      }
    });
  }
  for (std::thread& client : clients) client.join();
  EXPECT_TRUE(Eventually([&] {
    return cluster.worker(0).counts().running + cluster.worker(0).counts().waiting == 0 &&
           cluster.worker(1).counts().running + cluster.worker(1).counts().waiting == 0;
  }));
  EXPECT_TRUE(Eventually([&] {
    return cluster.Metric("switchboard_router_requests_running") == 0 &&
           cluster.Metric("switchboard_router_requests_waiting") == 0;
  }));
  EXPECT_THAT(Call(cluster.stub(), RequestFor("hello", 10)).Finish().status, IsOk());
}

TEST(OverloadTest, TwoHundredRequestsOnEightPlacesAllSucceed) {
  doubles::DoubleOptions small;
  small.max_running = 4;
  small.max_waiting = 2;
  Cluster cluster({small, small});
  std::vector<std::thread> clients;
  std::atomic<int> ok = 0;
  for (int thread = 0; thread < 40; ++thread) {
    clients.emplace_back([&] {
      for (int i = 0; i < 5; ++i) {
        Call call(cluster.stub(), RequestFor("hello", 20));
        const Seen& seen = call.Finish();
        if (seen.status.ok() && seen.fault.empty() && seen.tokens[0].size() == 20) ++ok;
      }
    });
  }
  for (std::thread& client : clients) client.join();
  EXPECT_EQ(ok, 200);
}

}  // namespace
}  // namespace switchboard::router
