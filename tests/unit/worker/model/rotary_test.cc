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

TEST(RotaryTest, ThetaOneTurnsAllPairsAlike) {
  EXPECT_THAT(RotaryFrequencies(1, 3), ElementsAre(1.0f, 1.0f, 1.0f));
}

}  // namespace
}  // namespace switchboard::model
