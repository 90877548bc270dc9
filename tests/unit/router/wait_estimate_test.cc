#include "router/core/wait_estimate.h"

#include <gtest/gtest.h>

namespace switchboard::router {
namespace {

TEST(WaitEstimateTest, NothingIsSaidBeforeEightGenerations) {
  WaitEstimate estimate;
  for (int i = 0; i < 7; ++i) estimate.Add(absl::Seconds(1), 1);
  EXPECT_FALSE(estimate.Wait(0, 1).has_value());
  estimate.Add(absl::Seconds(1), 1);
  EXPECT_EQ(estimate.Wait(0, 1), absl::Seconds(1));
}

TEST(WaitEstimateTest, TheWaitIsPlacesAheadTimesTheirTimeOverCapacity) {
  WaitEstimate estimate;
  for (int i = 0; i < 8; ++i) estimate.Add(absl::Seconds(3), 2);  // 6 place-seconds each
  EXPECT_EQ(estimate.Wait(3, 4), absl::Seconds(6));               // (3 + 1) * 6 / 4
}

TEST(WaitEstimateTest, ComingBackTakesOneToThirtySecondsSpreadByAFifth) {
  WaitEstimate estimate;
  std::mt19937_64 rng(1);
  for (int i = 0; i < 8; ++i) estimate.Add(absl::Seconds(1), 1);
  for (int i = 0; i < 1000; ++i) {
    const absl::Duration soon = estimate.RetryAfter(0, 100, &rng);
    EXPECT_GE(soon, absl::Milliseconds(800));
    EXPECT_LE(soon, absl::Milliseconds(1200));
    const absl::Duration late = estimate.RetryAfter(100000, 1, &rng);
    EXPECT_GE(late, absl::Seconds(24));
    EXPECT_LE(late, absl::Seconds(36));
  }
}

}  // namespace
}  // namespace switchboard::router
