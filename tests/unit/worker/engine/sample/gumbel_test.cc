// Expected noise and draws: an independent program with 50 decimal digits, Philox in plain
// integers.
#include "worker/engine/sample/gumbel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace switchboard::engine {
namespace {

using testing::ElementsAre;

constexpr float kMasked = -std::numeric_limits<float>::infinity();

// 70 logits between -1 and 1.5 in steps of 1/4, so many are equal.
std::vector<float> SomeLogits() {
  std::vector<float> logits(70);
  for (int i = 0; i < 70; ++i) logits[i] = static_cast<float>(i * 37 % 11) / 4 - 1;
  return logits;
}

std::vector<int32_t> Draws(uint64_t seed, int32_t choice, double temperature) {
  std::vector<int32_t> ids;
  for (int32_t position = 0; position < 12; ++position) {
    ids.push_back(DrawFromAll(SomeLogits(), temperature, {seed, position, choice}));
  }
  return ids;
}

TEST(Gumbel, IsMinusLogMinusLogOfTheMiddleOfTheInterval) {
  EXPECT_DOUBLE_EQ(Gumbel(0), -3.129994640884816);
  EXPECT_DOUBLE_EQ(Gumbel(1), -3.0807737589468562);
  EXPECT_DOUBLE_EQ(Gumbel(0x12345678), -0.9721082151843095);
  EXPECT_DOUBLE_EQ(Gumbel(0x7fffffff), 0.3665129202457607);
  EXPECT_DOUBLE_EQ(Gumbel(0x80000000), 0.36651292091756793);
  EXPECT_DOUBLE_EQ(Gumbel(0xfffffffe), 21.775244669635462);
  EXPECT_DOUBLE_EQ(Gumbel(0xffffffff), 22.87385695841999);
}

TEST(DrawFromAll, FindsTheTokensOfAnIndependentProgram) {
  EXPECT_THAT(Draws(0, 0, 1.0), ElementsAre(38, 57, 24, 8, 60, 52, 49, 30, 5, 32, 63, 16));
  EXPECT_THAT(Draws(42, 0, 1.0), ElementsAre(62, 65, 43, 63, 56, 19, 18, 9, 41, 59, 56, 31));
}

TEST(DrawFromAll, UsesBothHalvesOfTheSeed) {
  EXPECT_THAT(Draws(0xFEDCBA9876543210, 3, 0.5),
              ElementsAre(19, 52, 54, 18, 41, 19, 30, 49, 41, 38, 38, 46));
}

TEST(DrawFromAll, GivesEachChoiceItsOwnNoise) {
  EXPECT_THAT(Draws(42, 1, 1.0), ElementsAre(16, 19, 15, 49, 63, 33, 43, 24, 19, 54, 43, 57));
}

TEST(DrawFromAll, KeepsTheNoiseWhenTheTemperatureChanges) {
  EXPECT_THAT(Draws(42, 0, 2.0), ElementsAre(62, 65, 37, 63, 56, 19, 18, 9, 41, 59, 56, 31));
}

TEST(DrawFromAll, NeverDrawsAMaskedToken) {
  std::vector<float> logits(70, kMasked);
  logits[33] = -1e30f;
  EXPECT_EQ(DrawFromAll(logits, 1.0, {5, 5, 5}), 33);
  logits[33] = kMasked;
  EXPECT_EQ(DrawFromAll(logits, 1.0, {5, 5, 5}), -1);
}

TEST(DrawFromAll, PassesOverHopelessRunsWithoutChangingTheDraw) {
  // One run of ids is far below the others, then far above.
  for (const float level : {-60.0f, 60.0f}) {
    std::vector<float> logits(128, 0.0f);
    for (int i = 64; i < 96; ++i) logits[i] = level;
    for (int32_t position = 0; position < 50; ++position) {
      const int32_t id = DrawFromAll(logits, 1.0, {9, position, 0});
      EXPECT_EQ(id >= 64 && id < 96, level > 0);
    }
  }
}

TEST(DrawFrom, ChoosesAmongTheGivenIdsWithTheSameNoise) {
  const std::vector<int32_t> ids = {3, 4, 5, 17, 40, 41, 69};
  std::vector<int32_t> drawn;
  for (int32_t position = 0; position < 12; ++position) {
    drawn.push_back(DrawFrom(ids, SomeLogits(), 1.0, {42, position, 0}));
  }
  EXPECT_THAT(drawn, ElementsAre(4, 17, 5, 5, 40, 41, 4, 41, 41, 41, 5, 69));
}

TEST(DrawFrom, OfAllIdsEqualsDrawFromAll) {
  std::vector<int32_t> ids(70);
  for (int i = 0; i < 70; ++i) ids[i] = i;
  for (int32_t position = 0; position < 200; ++position) {
    const DrawPlace place{77, position, 2};
    EXPECT_EQ(DrawFrom(ids, SomeLogits(), 0.7, place), DrawFromAll(SomeLogits(), 0.7, place));
  }
}

TEST(DrawFromAll, FollowsTheSoftmax) {
  // p = 1/2, 1/3, 1/6 at temperature 1. The 20,000 draws are fixed, so this is no matter of luck.
  const std::vector<float> logits = {std::log(3.0f), std::log(2.0f), 0.0f};
  int counts[3] = {};
  for (int32_t position = 0; position < 20000; ++position) {
    ++counts[DrawFromAll(logits, 1.0, {123, position, 0})];
  }
  EXPECT_NEAR(counts[0], 10000, 250);
  EXPECT_NEAR(counts[1], 6667, 250);
  EXPECT_NEAR(counts[2], 3333, 250);
}

}  // namespace
}  // namespace switchboard::engine
