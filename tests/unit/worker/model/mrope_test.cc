#include "worker/model/mrope.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/status_matchers.h"

namespace switchboard::model {
namespace {

using testing::ElementsAre;
using testing::FloatEq;
using testing::HasSubstr;

TEST(MropeTest, TextAloneCountsUpOnEveryAxis) {
  const auto plan = PlanMropePositions(3, {}, 2);
  ASSERT_THAT(plan, IsOk());
  EXPECT_THAT(plan->prompt, ElementsAre(Position{0, 0, 0}, Position{1, 1, 1}, Position{2, 2, 2}));
  EXPECT_EQ(plan->delta, 0);
}

// 5 text, a grid of 4x6 patches = 2x3 tokens, 4 text.
TEST(MropeTest, ImageSpansAGridAndTextGoesOnBehindItsLongerSide) {
  const auto plan = PlanMropePositions(15, {{5, 4, 6}}, 2);
  ASSERT_THAT(plan, IsOk());
  EXPECT_THAT(
      plan->prompt,
      ElementsAre(Position{0, 0, 0}, Position{1, 1, 1}, Position{2, 2, 2}, Position{3, 3, 3},
                  Position{4, 4, 4}, Position{5, 5, 5}, Position{5, 5, 6}, Position{5, 5, 7},
                  Position{5, 6, 5}, Position{5, 6, 6}, Position{5, 6, 7}, Position{8, 8, 8},
                  Position{9, 9, 9}, Position{10, 10, 10}, Position{11, 11, 11}));
  EXPECT_EQ(plan->delta, -3);
}

TEST(MropeTest, AScreenshotOf84By37TokensAdvancesBy84) {
  const auto plan = PlanMropePositions(84 * 37, {{0, 168, 74}}, 2);
  ASSERT_THAT(plan, IsOk());
  EXPECT_EQ(plan->delta, -3024);
}

TEST(MropeTest, NeighbouringImagesStayTwoGrids) {
  const auto plan = PlanMropePositions(3, {{0, 2, 4}, {2, 2, 2}}, 2);
  ASSERT_THAT(plan, IsOk());
  EXPECT_THAT(plan->prompt, ElementsAre(Position{0, 0, 0}, Position{0, 0, 1}, Position{2, 2, 2}));
  EXPECT_EQ(plan->delta, 0);
}

TEST(MropeTest, RangesThatDoNotFitAreRefused) {
  const std::vector<std::vector<ImageRange>> bad = {
      {{0, 4, 4}},             // 4 tokens in a prompt of 3
      {{-1, 2, 2}},            // before the start
      {{4, 2, 2}},             // behind the end
      {{0, 2, 3}},             // half a token
      {{0, 0, 2}},             // empty
      {{1, 2, 2}, {1, 2, 2}},  // overlapping
      {{2, 2, 2}, {0, 2, 2}},  // out of order
      {{0, 2000000000, 2000000000}},
  };
  for (const auto& ranges : bad) {
    EXPECT_THAT(PlanMropePositions(3, ranges, 2),
                StatusIs(absl::StatusCode::kInvalidArgument,
                         HasSubstr("does not fit a prompt of 3 tokens")));
  }
}

// The 32 frequencies of the 9B model at position 1 on the axis of each pair.
TEST(MropeTest, PairsTurnWithTheirAxisAtTheRecordedFrequencies) {
  RotaryConfig config;
  config.theta = 10000;
  config.pairs = 32;
  config.sections = {8, 12, 12};
  const MropeAngles angles(config);
  ASSERT_EQ(angles.pairs(), 32);
  std::vector<float> at(32);
  angles.At({1, 1, 1}, at.data());
  EXPECT_THAT(at[0], FloatEq(1.0f));
  EXPECT_THAT(at[1], FloatEq(0.749894209f));
  EXPECT_THAT(at[2], FloatEq(0.562341325f));
  EXPECT_THAT(at[7], FloatEq(0.133352143f));
  EXPECT_THAT(at[8], FloatEq(0.1f));
  EXPECT_THAT(at[20], FloatEq(0.003162278f));
  EXPECT_NEAR(at[31], 0.000133352f, 1e-9);
  angles.At({5, 0, 0}, at.data());
  EXPECT_GT(at[7], 0.0f);
  EXPECT_EQ(at[8], 0.0f);
  angles.At({0, 5, 0}, at.data());
  EXPECT_EQ(at[7], 0.0f);
  EXPECT_GT(at[8], 0.0f);
  EXPECT_GT(at[19], 0.0f);
  EXPECT_EQ(at[20], 0.0f);
  angles.At({0, 0, 5}, at.data());
  EXPECT_EQ(at[19], 0.0f);
  EXPECT_GT(at[20], 0.0f);
}

}  // namespace
}  // namespace switchboard::model
