#include "gateway/openai/sampling.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/status_matchers.h"
#include "tests/unit/gateway/openai/error_case.h"

namespace switchboard::openai {
namespace {

using testing::ElementsAre;

ModelLimits Model() {
  ModelLimits model;
  model.max_model_len = 100;
  model.vocab_size = 50;
  return model;
}

constexpr uint64_t kDrawn = 77;

Sampling Resolve(const SamplingFields& fields, const ModelLimits& model, int64_t prompt = 10) {
  const absl::StatusOr<Sampling> sampling = ResolveSampling(fields, model, prompt, kDrawn);
  EXPECT_THAT(sampling, IsOk());
  return *sampling;
}

TEST(SamplingTest, WithoutWishesAllFiltersAreOffAndTheRoomIsUsed) {
  const Sampling s = Resolve({}, Model());
  EXPECT_EQ(s.temperature, 1.0f);
  EXPECT_EQ(s.top_p, 1.0f);
  EXPECT_EQ(s.top_k, 0);
  EXPECT_EQ(s.min_p, 0.0f);
  EXPECT_EQ(s.repetition_penalty, 1.0f);
  EXPECT_EQ(s.seed, kDrawn);
  EXPECT_EQ(s.max_tokens, 90);
}

TEST(SamplingTest, ClientBeforeModelBeforeDefault) {
  ModelLimits model = Model();
  model.temperature = 0.8;
  model.top_k = 2;
  model.max_new_tokens = 5;
  SamplingFields fields;
  fields.temperature = 0.25;
  fields.seed = 3;
  const Sampling s = Resolve(fields, model);
  EXPECT_EQ(s.temperature, 0.25f);
  EXPECT_EQ(s.top_k, 2);
  EXPECT_EQ(s.max_tokens, 5);
  EXPECT_EQ(s.seed, 3u);
}

TEST(SamplingTest, ExplicitMaxTokensBeyondTheRoomIsClampedOrRefused) {
  SamplingFields fields;
  fields.max_tokens = 91;
  ModelLimits model = Model();
  EXPECT_EQ(Verdict(ResolveSampling(fields, model, 10, 0).status()),
            "400 context_length_exceeded max_tokens");
  model.clamp_max_tokens = true;
  EXPECT_EQ(Resolve(fields, model).max_tokens, 90);
  fields.max_tokens = 90;
  model.clamp_max_tokens = false;
  EXPECT_EQ(Resolve(fields, model).max_tokens, 90);
}

TEST(SamplingTest, PromptMustLeaveRoomForOneToken) {
  EXPECT_EQ(Resolve({}, Model(), 99).max_tokens, 1);
  EXPECT_EQ(Verdict(ResolveSampling({}, Model(), 100, 0).status()),
            "400 context_length_exceeded messages");
}

TEST(SamplingTest, ContextErrorsNameTheFieldsOfTheRequest) {
  SamplingFields fields;
  fields.prompt_param = "prompt";
  fields.max_tokens = 91;
  fields.max_tokens_param = "max_completion_tokens";
  EXPECT_EQ(Verdict(ResolveSampling(fields, Model(), 10, 0).status()),
            "400 context_length_exceeded max_completion_tokens");
  EXPECT_EQ(Verdict(ResolveSampling(fields, Model(), 100, 0).status()),
            "400 context_length_exceeded prompt");
}

TEST(SamplingTest, AWholeAnswerHasABoundOfLogprobs) {
  SamplingFields fields;
  fields.choices = 2;
  fields.max_tokens_param = "max_completion_tokens";
  Sampling sampling;
  sampling.top_logprobs = 15;
  sampling.max_tokens = 65536;  // 2 * 16 * 65536 is 2^21
  EXPECT_EQ(Verdict(CheckWholeLogprobs(fields, sampling)), "ok");
  sampling.max_tokens = 65537;
  const absl::Status status = CheckWholeLogprobs(fields, sampling);
  EXPECT_EQ(Verdict(status), "400 invalid_value max_completion_tokens");
  EXPECT_EQ(status.message(),
            "'max_completion_tokens' of 65537 with 'n' 2 and 15 alternatives makes 2097184 "
            "log-probabilities, at most 2097152 are possible without 'stream': true.");
}

TEST(SamplingTest, IdsMustBeInTheVocabulary) {
  SamplingFields bias;
  bias.logit_bias[50] = 1;
  EXPECT_EQ(Verdict(ResolveSampling(bias, Model(), 10, 0).status()),
            "400 invalid_value logit_bias");
  SamplingFields stop;
  stop.stop_token_ids = {50};
  EXPECT_EQ(Verdict(ResolveSampling(stop, Model(), 10, 0).status()),
            "400 invalid_value stop_token_ids");
  SamplingFields good;
  good.logit_bias = {{49, 1.5}, {0, -2}};
  good.stop_token_ids = {49};
  const Sampling s = Resolve(good, Model());
  EXPECT_THAT(s.logit_bias, ElementsAre(std::pair(0, -2.0f), std::pair(49, 1.5f)));
  EXPECT_THAT(s.stop_token_ids, ElementsAre(49));
}

TEST(SamplingTest, MinTokensAboveTheEffectiveMaximumIsRefused) {
  SamplingFields fields;
  fields.max_tokens = 4;
  fields.min_tokens = 5;
  EXPECT_EQ(Verdict(ResolveSampling(fields, Model(), 10, 0).status()),
            "400 invalid_value min_tokens");
  fields.min_tokens = 4;
  EXPECT_EQ(Resolve(fields, Model()).min_tokens, 4);
}

}  // namespace
}  // namespace switchboard::openai
