#include "router/core/wait_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace switchboard::router {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(WaitQueueTest, OneThatComesBackGetsItsOldPlace) {
  WaitQueue queue({10, 1000});
  queue.Add(1, "g", 0, absl::Seconds(1));
  queue.Add(2, "g", 0, absl::Seconds(2));
  queue.Add(3, "g", 0, absl::Seconds(3));
  queue.Remove(2);
  EXPECT_THAT(queue.InOrder(), ElementsAre(1, 3));
  queue.Add(2, "g", 0, absl::Seconds(2));
  EXPECT_THAT(queue.InOrder(), ElementsAre(1, 2, 3));
}

TEST(WaitQueueTest, RequestsAndBytesAreBounded) {
  WaitQueue queue({2, 100});
  EXPECT_FALSE(queue.HasRoom(101));
  queue.Add(1, "g", 60, absl::Seconds(1));
  EXPECT_FALSE(queue.HasRoom(41));
  EXPECT_TRUE(queue.HasRoom(40));
  queue.Add(2, "g", 0, absl::Seconds(1));
  EXPECT_FALSE(queue.HasRoom(0));
  queue.Remove(1);
  EXPECT_EQ(queue.bytes(), 0u);
  EXPECT_TRUE(queue.HasRoom(100));
  EXPECT_FALSE(queue.HasRoom(static_cast<size_t>(-1)));
}

TEST(WaitQueueTest, DeadlinesAreInclusive) {
  WaitQueue queue({10, 1000});
  EXPECT_FALSE(queue.EarliestDeadline().has_value());
  queue.Add(1, "g", 0, absl::Seconds(1));
  queue.Add(2, "g", 0, absl::Seconds(2));
  queue.Add(3, "g", 0, absl::Seconds(3));
  EXPECT_EQ(queue.EarliestDeadline(), absl::Seconds(1));
  EXPECT_THAT(queue.Overdue(absl::Milliseconds(999)), IsEmpty());
  EXPECT_THAT(queue.Overdue(absl::Seconds(2)), ElementsAre(1, 2));
}

TEST(WaitQueueTest, AGroupIsThereWhileOneOfItWaits) {
  WaitQueue queue({10, 1000});
  queue.Add(1, "g", 0, absl::Seconds(1));
  queue.Add(2, "g", 0, absl::Seconds(1));
  queue.Remove(1);
  EXPECT_TRUE(queue.HasGroup("g"));
  EXPECT_FALSE(queue.HasGroup("h"));
  queue.Remove(2);
  EXPECT_FALSE(queue.HasGroup("g"));
}

}  // namespace
}  // namespace switchboard::router
