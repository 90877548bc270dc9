#include "worker/engine/stop_tokens.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace switchboard::engine {
namespace {

using testing::ElementsAre;

const std::vector<int32_t> kEos = {9, 5};

TEST(StopTokens, AreTheEndTokensOfTheModelAndThoseOfTheRequest) {
  SamplingParams sampling;
  sampling.stop_token_ids = {7, 5, 7};
  const StopTokens stops(sampling, kEos);
  EXPECT_THAT(stops.ids(), ElementsAre(5, 7, 9));
  EXPECT_TRUE(stops.Contains(7));
  EXPECT_TRUE(stops.Contains(9));
  EXPECT_FALSE(stops.Contains(8));
}

TEST(StopTokens, AreRequestedOnlyWhenTheModelDoesNotEndThere) {
  SamplingParams sampling;
  sampling.stop_token_ids = {7, 5};
  const StopTokens stops(sampling, kEos);
  EXPECT_TRUE(stops.Requested(7));
  EXPECT_FALSE(stops.Requested(5)) << "an end token of the model as well";
  EXPECT_FALSE(stops.Requested(9));
  EXPECT_FALSE(stops.Requested(8));
}

TEST(StopTokens, AreOnlyThoseOfTheRequestWhenEndTokensAreIgnored) {
  SamplingParams sampling;
  sampling.stop_token_ids = {5};
  sampling.ignore_eos = true;
  const StopTokens stops(sampling, kEos);
  EXPECT_THAT(stops.ids(), ElementsAre(5));
  EXPECT_TRUE(stops.Requested(5));
}

}  // namespace
}  // namespace switchboard::engine
