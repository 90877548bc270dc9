#include "gateway/openai/completion_request.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/status_matchers.h"
#include "tests/unit/gateway/openai/error_case.h"

namespace switchboard::openai {
namespace {

using testing::ElementsAre;
using testing::Optional;

constexpr char kBase[] = R"({"model": "m", "prompt": "Hi"})";

CompletionRequest Read(const char* fields) {
  const absl::StatusOr<CompletionRequest> request = ReadCompletionRequest(With(kBase, fields));
  EXPECT_THAT(request, IsOk()) << fields;
  return *request;
}

TEST(CompletionRequestTest, DefaultsAreThoseOfTheLegacyApi) {
  const CompletionRequest r = Read("{}");
  EXPECT_EQ(r.prompt, "Hi");
  EXPECT_EQ(r.prompt_ids, std::nullopt);
  EXPECT_EQ(r.sampling.max_tokens, 16);
  EXPECT_TRUE(r.add_special_tokens);
  EXPECT_FALSE(r.echo);
  EXPECT_EQ(r.logprobs, std::nullopt);
}

TEST(CompletionRequestTest, OnePromptInAnyForm) {
  EXPECT_EQ(Read(R"({"prompt": ["one"]})").prompt, "one");
  EXPECT_THAT(Read(R"({"prompt": [1, 2.0]})").prompt_ids, Optional(ElementsAre(1, 2)));
  EXPECT_THAT(Read(R"({"prompt": [[3]]})").prompt_ids, Optional(ElementsAre(3)));
}

TEST(CompletionRequestTest, LogprobsIsAnInteger) {
  EXPECT_EQ(Read(R"({"logprobs": 0})").logprobs, 0);
  EXPECT_EQ(Read(R"({"logprobs": true})").logprobs, 1);
  EXPECT_EQ(Read(R"({"logprobs": false})").logprobs, std::nullopt);
}

TEST(CompletionRequestTest, MaxTokensMinusOneIsNoLimit) {
  EXPECT_EQ(Read(R"({"max_tokens": -1})").sampling.max_tokens, std::nullopt);
  EXPECT_EQ(Read(R"({"max_tokens": null})").sampling.max_tokens, 16);
}

TEST(CompletionRequestTest, ErrorsOfLengthNameThePrompt) {
  EXPECT_EQ(Read("{}").sampling.prompt_param, "prompt");
  EXPECT_EQ(Read("{}").sampling.max_tokens_param, "max_tokens");
}

TEST(CompletionRequestTest, MoreIdsThanAnyContextAreRefused) {
  JsonObject body = With(kBase, "{}");
  body["prompt"] = JsonArray(kMaxPromptIds + 1, Json(1));
  const absl::Status status = ReadCompletionRequest(body).status();
  EXPECT_EQ(Verdict(status), "400 array_above_max_length prompt");
  EXPECT_EQ(status.message(), "'prompt' may have at most 1048576 items, not 1048577.");
}

TEST(CompletionRequestTest, WrongFieldsAreRefusedByName) {
  const ErrorCase kCases[] = {
      {R"({"prompt": null})", "prompt", "missing_required_parameter"},
      {R"({"prompt": []})", "prompt", "empty_array"},
      {R"({"prompt": [[]]})", "prompt[0]", "empty_array"},
      {R"({"prompt": {"a": 1}})", "prompt", "invalid_type"},
      {R"({"prompt": 7})", "prompt", "invalid_type"},
      {R"({"prompt": [-1]})", "prompt[0]", "invalid_value"},
      {R"({"prompt": [9999999999]})", "prompt[0]", "invalid_value"},
      {R"({"prompt": ["a", 7]})", "prompt[1]", "invalid_type"},
      {R"({"prompt": [1, "a"]})", "prompt[1]", "invalid_type"},
      {R"({"prompt": [1.5]})", "prompt[0]", "invalid_type"},
      {R"({"prompt": ["a", "b"]})", "prompt", "unsupported_value"},
      {R"({"max_tokens": 0})", "max_tokens", "integer_below_min_value"},
      {R"({"logprobs": 1000})", "logprobs", "integer_above_max_value"},
      {R"({"n": 3, "best_of": 2})", "best_of", "unsupported_parameter"},
      {R"({"suffix": "x"})", "suffix", "unsupported_parameter"},
      {R"({"echo": true, "logprobs": 1})", "echo", "unsupported_parameter"},
      {R"({"prompt_embeds": "x"})", "prompt_embeds", "unsupported_parameter"},
      {R"({"response_format": {"type": "json_object"}})", "response_format",
       "unsupported_parameter"},
      {R"({"temperature": 3})", "temperature", "invalid_value"},
  };
  for (const ErrorCase& c : kCases) {
    EXPECT_EQ(Verdict(ReadCompletionRequest(With(kBase, c.fields)).status()), Expected(c))
        << c.fields;
  }
}

}  // namespace
}  // namespace switchboard::openai
