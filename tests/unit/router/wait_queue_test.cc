#include "router/core/wait_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace switchboard::router {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(WaitQueueTest, OneThatComesBackGetsItsOldPlace) {
  WaitQueue queue(10);
  queue.Add(1, "g", absl::Seconds(1));
  queue.Add(2, "g", absl::Seconds(2));
  queue.Add(3, "g", absl::Seconds(3));
  queue.Remove(2);
  EXPECT_THAT(queue.InOrder(), ElementsAre(1, 3));
  queue.Add(2, "g", absl::Seconds(2));
  EXPECT_THAT(queue.InOrder(), ElementsAre(1, 2, 3));
}

TEST(WaitQueueTest, TheNumberOfRequestsIsBounded) {
  WaitQueue queue(2);
  queue.Add(1, "g", absl::Seconds(1));
  EXPECT_TRUE(queue.HasRoom());
  queue.Add(2, "g", absl::Seconds(1));
  EXPECT_FALSE(queue.HasRoom());
  queue.Remove(1);
  EXPECT_TRUE(queue.HasRoom());
}

TEST(WaitQueueTest, DeadlinesAreInclusive) {
  WaitQueue queue(10);
  EXPECT_FALSE(queue.EarliestDeadline().has_value());
  queue.Add(1, "g", absl::Seconds(1));
  queue.Add(2, "g", absl::Seconds(2));
  queue.Add(3, "g", absl::Seconds(3));
  EXPECT_EQ(queue.EarliestDeadline(), absl::Seconds(1));
  EXPECT_THAT(queue.Overdue(absl::Milliseconds(999)), IsEmpty());
  EXPECT_THAT(queue.Overdue(absl::Seconds(2)), ElementsAre(1, 2));
}

TEST(WaitQueueTest, AGroupIsThereWhileOneOfItWaits) {
  WaitQueue queue(10);
  queue.Add(1, "g", absl::Seconds(1));
  queue.Add(2, "g", absl::Seconds(1));
  queue.Remove(1);
  EXPECT_TRUE(queue.HasGroup("g"));
  EXPECT_FALSE(queue.HasGroup("h"));
  queue.Remove(2);
  EXPECT_FALSE(queue.HasGroup("g"));
}

}  // namespace
}  // namespace switchboard::router
