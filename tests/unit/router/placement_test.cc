#include "router/core/placement.h"

#include <gtest/gtest.h>

#include <array>

namespace switchboard::router {
namespace {

TEST(PlacementTest, TheSmallestLoadWins) {
  std::mt19937_64 rng(1);
  const Candidate candidates[] = {{0, 3, 0, 8}, {1, 2, 0, 8}, {2, 4, 0, 8}};
  EXPECT_EQ(PickLeastLoaded(candidates, &rng), 1);
}

TEST(PlacementTest, WaitingCountsLikeRunning) {
  std::mt19937_64 rng(1);
  const Candidate candidates[] = {{0, 1, 3, 8}, {1, 3, 0, 8}};
  EXPECT_EQ(PickLeastLoaded(candidates, &rng), 1);
}

TEST(PlacementTest, LoadIsRelativeToWhatAWorkerRunsAtOnce) {
  std::mt19937_64 rng(1);
  const Candidate candidates[] = {{0, 2, 0, 4}, {1, 7, 0, 16}};  // 1/2 against 7/16
  EXPECT_EQ(PickLeastLoaded(candidates, &rng), 1);
}

TEST(PlacementTest, EqualLoadsShareAlike) {
  std::mt19937_64 rng(1);
  const Candidate candidates[] = {{0, 1, 0, 2}, {1, 2, 0, 4}, {2, 0, 3, 6}, {3, 4, 0, 4}};
  std::array<int, 4> picks = {};
  for (int i = 0; i < 30000; ++i) ++picks[static_cast<size_t>(PickLeastLoaded(candidates, &rng))];
  // 10,000 each; six standard deviations of a binomial with p = 1/3 are 490.
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(picks[static_cast<size_t>(i)], 10000, 490);
  EXPECT_EQ(picks[3], 0);
}

TEST(PlacementTest, TheLargestNumbersDoNotOverflow) {
  std::mt19937_64 rng(1);
  const Candidate candidates[] = {{0, 2147483647, 2147483647, 1}, {1, 2147483647, 2147483647, 2}};
  EXPECT_EQ(PickLeastLoaded(candidates, &rng), 1);
}

}  // namespace
}  // namespace switchboard::router
