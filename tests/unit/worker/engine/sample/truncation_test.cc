#include "worker/engine/sample/truncation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <tuple>
#include <vector>

namespace switchboard::engine {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr float kMasked = -std::numeric_limits<float>::infinity();

// p = 0.1, 0.4, 0.2, 0.1, 0.2 at temperature 1.
const std::vector<float> kLogits = {std::log(1.0f), std::log(4.0f), std::log(2.0f), std::log(1.0f),
                                    std::log(2.0f)};

std::vector<int32_t> Survivors(const std::vector<float>& logits, double temperature,
                               const SamplingParams& params) {
  Truncation truncation;
  const absl::Span<const int32_t> ids = truncation.Survivors(logits, temperature, params);
  return {ids.begin(), ids.end()};
}

std::vector<int32_t> Left(int top_k, float top_p, float min_p, double temperature = 1.0) {
  SamplingParams params;
  params.top_k = top_k;
  params.top_p = top_p;
  params.min_p = min_p;
  return Survivors(kLogits, temperature, params);
}

TEST(Survivors, AreAllWhenNothingTruncates) {
  EXPECT_FALSE(Truncates(SamplingParams()));
  EXPECT_THAT(Left(0, 1, 0), ElementsAre(0, 1, 2, 3, 4));
}

TEST(Survivors, TopKKeepsExactlyKAndOfEqualOnesTheLowerIds) {
  EXPECT_THAT(Left(1, 1, 0), ElementsAre(1));
  EXPECT_THAT(Left(2, 1, 0), ElementsAre(1, 2));
  EXPECT_THAT(Left(4, 1, 0), ElementsAre(0, 1, 2, 4));
  EXPECT_THAT(Left(100, 1, 0), ElementsAre(0, 1, 2, 3, 4));
}

TEST(Survivors, TopPKeepsTheShortestRunThatReachesTheShare) {
  EXPECT_THAT(Left(0, 0.39f, 0), ElementsAre(1));
  EXPECT_THAT(Left(0, 0.41f, 0), ElementsAre(1, 2));
  EXPECT_THAT(Left(0, 0.61f, 0), ElementsAre(1, 2, 4));
  EXPECT_THAT(Left(0, 0.81f, 0), ElementsAre(0, 1, 2, 4));
  EXPECT_THAT(Left(0, 0.91f, 0), ElementsAre(0, 1, 2, 3, 4));
}

TEST(Survivors, TopPOfZeroKeepsOneToken) { EXPECT_THAT(Left(0, 0, 0), ElementsAre(1)); }

TEST(Survivors, TopPIsAShareOfWhatTopKLeft) {
  // Left by top_k: 0.4 and 0.2, that is 2/3 and 1/3.
  EXPECT_THAT(Left(2, 0.65f, 0), ElementsAre(1));
  EXPECT_THAT(Left(2, 0.68f, 0), ElementsAre(1, 2));
}

TEST(Survivors, MinPIsAShareOfTheLikeliest) {
  EXPECT_THAT(Left(0, 1, 0.6f), ElementsAre(1));
  EXPECT_THAT(Left(0, 1, 0.4f), ElementsAre(1, 2, 4));
  EXPECT_THAT(Left(0, 1, 0.2f), ElementsAre(0, 1, 2, 3, 4));
}

TEST(Survivors, DependOnTheTemperature) {
  // At 1/2 the weights are squared: 1, 16, 4, 1, 4 of 26.
  EXPECT_THAT(Left(0, 0.6f, 0, 0.5), ElementsAre(1));
  EXPECT_THAT(Left(0, 1, 0.3f, 0.5), ElementsAre(1));
}

TEST(Survivors, NeverIncludeMaskedIds) {
  SamplingParams params;
  params.top_k = 2;
  EXPECT_THAT(Survivors({kMasked, 0, kMasked}, 1.0, params), ElementsAre(1));
  EXPECT_THAT(Survivors({kMasked, kMasked}, 1.0, params), IsEmpty());
}

TEST(Survivors, EqualThoseOfAPlainSort) {
  std::mt19937 random(7);
  std::normal_distribution<float> normal(0, 3);
  for (int round = 0; round < 100; ++round) {
    std::vector<float> logits(500);
    for (float& logit : logits) logit = std::round(normal(random) * 8) / 8;
    SamplingParams params;
    params.top_k = round % 3 == 0 ? 0 : 40 + round;
    params.top_p = 0.5f + 0.0049f * static_cast<float>(round);
    params.min_p = round % 2 == 0 ? 0.0f : 0.01f;
    const double temperature = 0.5 + 0.01 * round;

    std::vector<int32_t> order(logits.size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int32_t>(i);
    std::sort(order.begin(), order.end(), [&](int32_t a, int32_t b) {
      return std::tuple(-logits[a], a) < std::tuple(-logits[b], b);
    });
    if (params.top_k > 0) order.resize(params.top_k);
    const auto weight = [&](int32_t id) {
      return std::exp((logits[id] - logits[order[0]]) / temperature);
    };
    double total = 0;
    for (const int32_t id : order) total += weight(id);
    std::vector<int32_t> expected;
    double sum = 0;
    for (const int32_t id : order) {
      if (sum >= params.top_p * total) break;
      sum += weight(id);
      if (weight(id) >= params.min_p) expected.push_back(id);
    }
    std::sort(expected.begin(), expected.end());
    EXPECT_EQ(Survivors(logits, temperature, params), expected) << "round " << round;
  }
}

}  // namespace
}  // namespace switchboard::engine
