#include "worker/engine/validate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "tests/support/status_matchers.h"
#include "tests/unit/worker/engine/rig.h"

namespace switchboard::engine {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

absl::Status Check(const Request& request) {
  return ValidateRequest(request, SmallOptions(), FakeModel().shape());
}

void ExpectRefused(const char* field, const std::function<void(Request*)>& change) {
  Request request = TextRequest(10, 10);
  AppendImage(4, 6, 0.5f, &request);
  ASSERT_THAT(Check(request), IsOk());
  change(&request);
  EXPECT_THAT(Check(request),
              StatusIs(absl::StatusCode::kInvalidArgument, StartsWith(std::string(field) + " ")));
}

TEST(ValidateRequest, RefusesAnEmptyPrompt) {
  ExpectRefused("prompt_ids", [](Request* r) {
    r->prompt_ids.clear();
    r->images.clear();
  });
}

TEST(ValidateRequest, RefusesPromptIdsThatAreNoTokens) {  // C082
  for (const int32_t id : {-1, kFakeVocab, kFakeRows, 999999999}) {
    ExpectRefused("prompt_ids", [id](Request* r) { r->prompt_ids[3] = id; });
  }
}

TEST(ValidateRequest, RefusesAPromptThatLeavesNoRoom) {  // C104
  EXPECT_THAT(Check(TextRequest(639, 1)), IsOk());
  EXPECT_THAT(Check(TextRequest(640, 1)),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("640 tokens")));
}

TEST(ValidateRequest, RefusesChoicesOutOfRange) {
  ExpectRefused("choices", [](Request* r) { r->choices = 0; });
  ExpectRefused("choices", [](Request* r) { r->choices = 129; });
}

TEST(ValidateRequest, RefusesNumbersOutOfRangeAndNotANumber) {  // C076
  for (const float bad : {kNan, kInfinity, -kInfinity, -1.0f, 2.5f}) {
    ExpectRefused("temperature", [bad](Request* r) { r->sampling.temperature = bad; });
    ExpectRefused("top_p", [bad](Request* r) { r->sampling.top_p = bad; });
    ExpectRefused("min_p", [bad](Request* r) { r->sampling.min_p = bad; });
  }
  for (const float bad : {kNan, kInfinity, -kInfinity, -2.5f, 2.5f}) {
    ExpectRefused("frequency_penalty", [bad](Request* r) { r->sampling.frequency_penalty = bad; });
    ExpectRefused("presence_penalty", [bad](Request* r) { r->sampling.presence_penalty = bad; });
  }
  for (const float bad : {kNan, kInfinity, 0.0f, -1.0f}) {
    ExpectRefused("repetition_penalty",
                  [bad](Request* r) { r->sampling.repetition_penalty = bad; });
  }
}

TEST(ValidateRequest, TakesMinusZeroAsZero) {  // C076
  Request request = TextRequest(10, 10);
  request.sampling.temperature = -0.0f;
  EXPECT_THAT(Check(request), IsOk());
}

TEST(ValidateRequest, RefusesCountsOutOfRange) {
  ExpectRefused("top_k", [](Request* r) { r->sampling.top_k = -5; });
  ExpectRefused("max_tokens", [](Request* r) { r->sampling.max_tokens = 0; });
  ExpectRefused("min_tokens", [](Request* r) { r->sampling.min_tokens = -1; });
  ExpectRefused("top_logprobs", [](Request* r) { r->sampling.top_logprobs = 21; });
  ExpectRefused("top_logprobs", [](Request* r) { r->sampling.top_logprobs = 1; });
}

TEST(ValidateRequest, TakesMaxTokensFarBeyondTheContext) {  // C002
  EXPECT_THAT(Check(TextRequest(10, std::numeric_limits<int>::max())), IsOk());
}

TEST(ValidateRequest, RefusesBiasOfNoTokenOrOutOfRange) {  // C074
  ExpectRefused("logit_bias", [](Request* r) { r->sampling.logit_bias = {{kFakeVocab, 1.0f}}; });
  ExpectRefused("logit_bias", [](Request* r) { r->sampling.logit_bias = {{-1, 1.0f}}; });
  ExpectRefused("logit_bias", [](Request* r) { r->sampling.logit_bias = {{1, 101.0f}}; });
  ExpectRefused("logit_bias", [](Request* r) { r->sampling.logit_bias = {{1, kNan}}; });
}

TEST(ValidateRequest, RefusesStopTokensThatAreNoTokens) {
  ExpectRefused("stop_token_ids", [](Request* r) { r->sampling.stop_token_ids = {5, kFakeVocab}; });
  ExpectRefused("stop_token_ids", [](Request* r) { r->sampling.stop_token_ids = {-1}; });
}

TEST(ValidateRequest, RefusesMinTokensWhenEveryTokenStops) {
  ExpectRefused("stop_token_ids", [](Request* r) {
    r->sampling.min_tokens = 1;
    for (int id = 0; id < kFakeVocab; ++id) r->sampling.stop_token_ids.push_back(id);
  });
}

TEST(ValidateRequest, RefusesImagesThatDoNotFitThePrompt) {
  // The image stands at [10, 16).
  ExpectRefused("images.prompt_offset", [](Request* r) { r->images[0].prompt_offset = 11; });
  ExpectRefused("images.prompt_offset", [](Request* r) { r->images[0].prompt_offset = -1; });
  ExpectRefused("images.prompt_offset", [](Request* r) {
    r->images[0].prompt_offset = std::numeric_limits<int32_t>::max();
  });
  ExpectRefused("images.prompt_offset", [](Request* r) { r->images.push_back(r->images[0]); });
  ExpectRefused("images.tokens", [](Request* r) { r->images[0].tokens = 0; });
  ExpectRefused("images.tokens", [](Request* r) { r->images[0].tokens = 25; });
}

TEST(ValidateRequest, RefusesPatchesThatDoNotFitTheGrid) {
  ExpectRefused("images.grid", [](Request* r) { r->images[0].grid_h = 0; });
  ExpectRefused("images.grid", [](Request* r) { r->images[0].grid_w = -6; });
  ExpectRefused("images.patches", [](Request* r) { r->images[0].patches.pop_back(); });
  ExpectRefused("images.patches", [](Request* r) { r->images[0].patches.clear(); });
  ExpectRefused("images.patches", [](Request* r) {
    r->images[0].grid_h = r->images[0].grid_w = std::numeric_limits<int32_t>::max();
  });
}

TEST(ValidateRequest, RefusesImagesForATextModel) {
  Request request = TextRequest(10, 10);
  AppendImage(4, 6, 0.5f, &request);
  model::ModelShape shape = FakeModel().shape();
  shape.has_vision = false;
  EXPECT_THAT(ValidateRequest(request, SmallOptions(), shape),
              StatusIs(absl::StatusCode::kInvalidArgument, StartsWith("images ")));
}

void ExpectOptionRefused(const char* name, const std::function<void(EngineOptions*)>& change) {
  EngineOptions options = SmallOptions();
  change(&options);
  EXPECT_THAT(ValidateOptions(options, FakeModel(1000).shape()),
              StatusIs(absl::StatusCode::kInvalidArgument, StartsWith(std::string(name) + " ")));
}

TEST(ValidateOptions, RefusesWhatDoesNotFitTheModelOrTheCache) {
  ExpectOptionRefused("max_running", [](EngineOptions* o) { o->max_running = 0; });
  ExpectOptionRefused("max_waiting", [](EngineOptions* o) { o->max_waiting = 0; });
  ExpectOptionRefused("max_batched_tokens", [](EngineOptions* o) { o->max_batched_tokens = 3; });
  ExpectOptionRefused("max_model_len", [](EngineOptions* o) { o->max_model_len = 1001; });
  ExpectOptionRefused("max_model_len", [](EngineOptions* o) { o->max_model_len = 1; });
  ExpectOptionRefused("kv_pages", [](EngineOptions* o) { o->kv_pages = 9; });  // C103
  ExpectOptionRefused("usable_vocab", [](EngineOptions* o) { o->usable_vocab = kFakeRows + 1; });
  ExpectOptionRefused("usable_vocab", [](EngineOptions* o) { o->usable_vocab = 0; });
  ExpectOptionRefused("eos_token_ids", [](EngineOptions* o) { o->eos_token_ids = {kFakeVocab}; });
}

}  // namespace
}  // namespace switchboard::engine
