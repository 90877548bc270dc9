#include "worker/engine/sample/logprobs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace switchboard::engine {
namespace {

using testing::ElementsAre;
using testing::FloatEq;
using testing::IsEmpty;
using testing::Pair;

// p = 1/8, 1/2, 1/4, 1/8.
const std::vector<float> kLogits = {0.0f, std::log(4.0f), std::log(2.0f), 0.0f};

TEST(LogSumExp, OfEqualLogitsIsTheLogOfTheirNumber) {
  EXPECT_DOUBLE_EQ(LogSumExp(std::vector<float>(1000, 0.0f)), std::log(1000.0));
  EXPECT_DOUBLE_EQ(LogSumExp(std::vector<float>(7, -3.0f)), std::log(7.0) - 3);
}

TEST(LogSumExp, DoesNotOverflow) {
  EXPECT_DOUBLE_EQ(LogSumExp(std::vector<float>{3e38f, 0.0f, -3e38f}), double{3e38f});
}

TEST(RawLogprobs, AreLogsOfTheSoftmax) {
  EXPECT_FLOAT_EQ(RawLogprobs(kLogits, 4, 1, 0).logprob, std::log(0.5f));
  EXPECT_FLOAT_EQ(RawLogprobs(kLogits, 4, 3, 0).logprob, std::log(0.125f));
  EXPECT_THAT(RawLogprobs(kLogits, 4, 3, 0).top, IsEmpty());
}

TEST(RawLogprobs, ListTheBestFirstAndOfEqualOnesTheLowerId) {
  EXPECT_THAT(RawLogprobs(kLogits, 4, 3, 3).top,
              ElementsAre(Pair(1, FloatEq(std::log(0.5f))), Pair(2, FloatEq(std::log(0.25f))),
                          Pair(0, FloatEq(std::log(0.125f)))));
}

TEST(RawLogprobs, ListNoPaddingRowsButNormaliseWithThem) {
  EXPECT_THAT(RawLogprobs({kLogits.data(), 4}, 1, 0, 3).top,
              ElementsAre(Pair(0, FloatEq(std::log(0.125f)))));
}

TEST(RawLogprobs, ListAtMostTheWholeVocabulary) {
  EXPECT_EQ(RawLogprobs(kLogits, 4, 0, 20).top.size(), 4u);
}

}  // namespace
}  // namespace switchboard::engine
