// Known answers: kat_vectors of Random123, the authors' own library (philox4x32, 10 rounds).
#include "worker/engine/sample/philox.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace switchboard::engine {
namespace {

using testing::ElementsAre;

TEST(Philox, GivesThePublishedWordsForZeroCounterAndKey) {
  EXPECT_THAT(Philox({0, 0, 0, 0}, {0, 0}),
              ElementsAre(0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8));
}

TEST(Philox, GivesThePublishedWordsForAllOnes) {
  EXPECT_THAT(Philox({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff}),
              ElementsAre(0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd));
}

TEST(Philox, GivesThePublishedWordsForDigitsOfPi) {
  EXPECT_THAT(Philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
              ElementsAre(0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1));
}

TEST(PhiloxRun, IsPhiloxOfConsecutiveCounters) {
  const PhiloxKey key = {0xa4093822, 0x299f31d0};
  std::array<uint32_t, 4 * kPhiloxRun> run;
  PhiloxRun({1000, 7, 3, 0}, key, &run);
  for (uint32_t block = 0; block < kPhiloxRun; ++block) {
    const PhiloxBlock expected = Philox({1000 + block, 7, 3, 0}, key);
    for (uint32_t lane = 0; lane < 4; ++lane) {
      EXPECT_EQ(run[4 * block + lane], expected[lane]) << "block " << block << " lane " << lane;
    }
  }
}

TEST(PhiloxRun, CarriesNothingIntoTheNextCounterWord) {
  std::array<uint32_t, 4 * kPhiloxRun> run;
  PhiloxRun({0xFFFFFFFE, 1, 2, 3}, {5, 6}, &run);
  EXPECT_EQ(run[4 * 3], Philox({1, 1, 2, 3}, {5, 6})[0]);
}

}  // namespace
}  // namespace switchboard::engine
