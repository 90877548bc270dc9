#include "worker/engine/sample/sampler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "tests/support/status_matchers.h"

namespace switchboard::engine {
namespace {

using testing::ElementsAre;
using testing::FloatEq;
using testing::HasSubstr;
using testing::Pair;

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

class SamplerTest : public testing::Test {
 protected:
  SamplerTest() { params_.temperature = 0.0f; }

  absl::StatusOr<Drawn> Draw(const std::vector<float>& logits,
                             const std::vector<int32_t>& masked = {}) {
    Sampler sampler(usable_vocab_ == 0 ? static_cast<int>(logits.size()) : usable_vocab_);
    return sampler.Draw(logits, {.params = params_,
                                 .penalized_prompt_ids = prompt_,
                                 .counts = counts_,
                                 .masked_ids = masked,
                                 .position = 3,
                                 .choice = 0});
  }

  SamplingParams params_;
  std::vector<int32_t> prompt_;
  OutputCounts counts_;
  int usable_vocab_ = 0;
};

TEST_F(SamplerTest, GreedyTakesTheGreatestLogit) { EXPECT_EQ(Draw({1, 3, 2})->id, 1); }

TEST_F(SamplerTest, GreedyTakesTheLowestIdOfEqualLogits) {
  EXPECT_EQ(Draw({-0.0f, 0.0f, 0.0f})->id, 0);
  std::vector<float> logits(100, 1.0f);
  logits[37] = logits[53] = logits[99] = 2.0f;
  EXPECT_EQ(Draw(logits)->id, 37);
}

TEST_F(SamplerTest, GreedyFindsTheGreatestLogitAtEveryPlace) {
  for (int place = 0; place < 70; ++place) {
    std::vector<float> logits(70, -1.0f);
    logits[place] = -0.5f;
    EXPECT_EQ(Draw(logits)->id, place);
  }
}

TEST_F(SamplerTest, GreedyDoesNotDependOnTheSeed) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    params_.seed = seed;
    EXPECT_EQ(Draw({1.0f, 1.01f, 1.0f})->id, 1);
  }
}

TEST_F(SamplerTest, TemperaturesBelowATenThousandthOfATenthAreGreedy) {
  params_.temperature = 9e-6f;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    params_.seed = seed;
    EXPECT_EQ(Draw({1.0f, 1.00001f})->id, 1);
  }
}

TEST_F(SamplerTest, GreedyTakesPenaltiesAndBiasIntoAccount) {
  params_.frequency_penalty = 0.5f;
  counts_ = {{1, 3}};
  EXPECT_EQ(Draw({1, 3, 2})->id, 2);
  params_.logit_bias = {{0, 50.0f}};
  EXPECT_EQ(Draw({1, 3, 2})->id, 0);
}

TEST_F(SamplerTest, NeverChoosesAMaskedToken) {
  EXPECT_EQ(Draw({1, 3, 2}, {1})->id, 2);
  params_.logit_bias = {{1, 100.0f}};
  EXPECT_EQ(Draw({1, 3, 2}, {1})->id, 2);
  params_.temperature = 1.0f;
  EXPECT_EQ(Draw({1, 3, 2}, {1, 2})->id, 0);
}

TEST_F(SamplerTest, NeverChoosesAPaddingRow) {  // C074
  usable_vocab_ = 2;
  EXPECT_EQ(Draw({1, 3, 99, 99})->id, 1);
  params_.temperature = 2.0f;
  for (uint64_t seed = 0; seed < 50; ++seed) {
    params_.seed = seed;
    EXPECT_LT(Draw({1, 3, 99, 99})->id, 2);
  }
}

TEST_F(SamplerTest, DrawsWithTheNoiseOfItsPlace) {
  // The independent program of gumbel_test: seed 42, position 3, choice 0 gives 63.
  std::vector<float> logits(70);
  for (int i = 0; i < 70; ++i) logits[i] = static_cast<float>(i * 37 % 11) / 4 - 1;
  params_.temperature = 1.0f;
  params_.seed = 42;
  EXPECT_EQ(Draw(logits)->id, 63);
}

TEST_F(SamplerTest, DrawsOnlyAmongTheSurvivorsOfTruncation) {
  params_.temperature = 1.0f;
  params_.top_k = 1;
  EXPECT_EQ(Draw({1, 3, 2})->id, 1);
  params_.top_k = 0;
  params_.top_p = 0.0f;
  EXPECT_EQ(Draw({1, 3, 2})->id, 1);
  params_.top_p = 1.0f;
  params_.min_p = 1.0f;
  EXPECT_EQ(Draw({1, 3, 2})->id, 1);
}

TEST_F(SamplerTest, LogprobsAreThoseOfTheRawLogits) {
  params_.logprobs = true;
  params_.top_logprobs = 1;
  params_.logit_bias = {{0, 100.0f}};
  const absl::StatusOr<Drawn> drawn = Draw({0.0f, std::log(3.0f)});
  ASSERT_THAT(drawn, IsOk());
  EXPECT_EQ(drawn->id, 0);
  EXPECT_FLOAT_EQ(drawn->logprobs.logprob, std::log(0.25f));
  EXPECT_THAT(drawn->logprobs.top, ElementsAre(Pair(1, FloatEq(std::log(0.75f)))));
}

TEST_F(SamplerTest, RefusesLogitsThatAreNotFinite) {  // C152
  for (const float bad : {kNan, kInfinity, -kInfinity}) {
    for (int place = 0; place < 20; ++place) {
      std::vector<float> logits(20, 1.0f);
      logits[place] = bad;
      EXPECT_THAT(Draw(logits),
                  StatusIs(absl::StatusCode::kInternal, HasSubstr("numerical error")));
    }
  }
}

TEST_F(SamplerTest, IsNotDisturbedByTheRowBefore) {  // C077, C083
  Sampler sampler(3);
  SamplingParams biased;
  biased.temperature = 0.0f;
  biased.logit_bias = {{0, 100.0f}};
  const auto draw = [&](const SamplingParams& params) {
    return sampler.Draw({{1, 3, 2}}, {.params = params,
                                      .penalized_prompt_ids = {},
                                      .counts = counts_,
                                      .masked_ids = {},
                                      .position = 0,
                                      .choice = 0});
  };
  EXPECT_EQ(draw(biased)->id, 0);
  EXPECT_EQ(draw(params_)->id, 1);
}

}  // namespace
}  // namespace switchboard::engine
