// Expected values: correctly rounded, computed with 50 decimal digits.
#include "worker/model/rotary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace switchboard::model {
namespace {

using testing::ElementsAre;

// Of the 9B model, text and vision alike.
TEST(RotaryTest, FrequenciesOfThe9BModelAreCorrectlyRounded) {
  const std::vector<float> want = {
      1.00000000000e0f,  7.49894209332e-1f, 5.62341325190e-1f, 4.21696503429e-1f, 3.16227766017e-1f,
      2.37137370566e-1f, 1.77827941004e-1f, 1.33352143216e-1f, 1.00000000000e-1f, 7.49894209332e-2f,
      5.62341325190e-2f, 4.21696503429e-2f, 3.16227766017e-2f, 2.37137370566e-2f, 1.77827941004e-2f,
      1.33352143216e-2f, 1.00000000000e-2f, 7.49894209332e-3f, 5.62341325190e-3f, 4.21696503429e-3f,
      3.16227766017e-3f, 2.37137370566e-3f, 1.77827941004e-3f, 1.33352143216e-3f, 1.00000000000e-3f,
      7.49894209332e-4f, 5.62341325190e-4f, 4.21696503429e-4f, 3.16227766017e-4f, 2.37137370566e-4f,
      1.77827941004e-4f, 1.33352143216e-4f};
  EXPECT_EQ(RotaryFrequencies(10000, 32), want);
}

TEST(RotaryTest, FrequenciesOfAnotherThetaAreCorrectlyRounded) {
  EXPECT_THAT(
      RotaryFrequencies(500000, 8),
      ElementsAre(1.00000000000e0f, 1.93922744749e-1f, 3.76060309309e-2f, 7.29266473722e-3f,
                  1.41421356237e-3f, 2.74248175676e-4f, 5.31829589694e-5f, 1.03133853772e-5f));
}

RotaryConfig SmallConfig(RopeScaling::Kind kind) {
  RotaryConfig config;
  config.theta = 10000;
  config.pairs = 8;
  config.scaling.kind = kind;
  return config;
}

// A wave of 6.28 is below 64 / 4 and stays; one of 19.9 is between and takes 0.740 of itself; those
// above 64 are divided by 8.
TEST(RotaryTest, Llama3ScalingKeepsShortWavesAndStretchesLongOnes) {
  RotaryConfig config = SmallConfig(RopeScaling::Kind::kLlama3);
  config.scaling.factor = 8;
  config.scaling.low_factor = 1;
  config.scaling.high_factor = 4;
  config.scaling.original_length = 64;
  EXPECT_THAT(ScaledFrequencies(config),
              ElementsAre(1.0f, 0.24438459943539834f, 0.013042256043820465f, 0.003952847075210474f,
                          0.00125f, 0.0003952847075210474f, 0.000125f, 3.952847075210474e-05f));
}

TEST(RotaryTest, LinearScalingDividesEveryFrequency) {
  RotaryConfig config = SmallConfig(RopeScaling::Kind::kLinear);
  config.scaling.factor = 4;
  EXPECT_THAT(ScaledFrequencies(config),
              ElementsAre(0.25f, 0.07905694150420949f, 0.025f, 0.007905694150420949f, 0.0025f,
                          0.0007905694150420949f, 0.00025f, 7.905694150420949e-05f));
}

TEST(RotaryTest, DivisorsApplyPairByPair) {
  RotaryConfig config = SmallConfig(RopeScaling::Kind::kDivisors);
  config.scaling.divisors = {1, 2, 1, 1, 8, 1, 1, 1};
  const std::vector<float> scaled = ScaledFrequencies(config);
  EXPECT_EQ(scaled[0], 1.0f);
  EXPECT_EQ(scaled[1], 0.15811388300841897f);
  EXPECT_EQ(scaled[4], 0.00125f);
}

TEST(RotaryTest, ThetaOneTurnsAllPairsAlike) {
  EXPECT_THAT(RotaryFrequencies(1, 3), ElementsAre(1.0f, 1.0f, 1.0f));
}

}  // namespace
}  // namespace switchboard::model
