#include "gateway/openai/error.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/match.h"

namespace switchboard::openai {
namespace {

using testing::Pair;
using testing::UnorderedElementsAre;

TEST(ErrorTest, BodyHasAllFourMembers) {
  const ErrorReply reply = ToErrorReply(Error("invalid_value", "top_p", "No."));
  EXPECT_EQ(reply.status, 400);
  EXPECT_EQ(reply.body,
            R"({"error":{"message":"No.","type":"invalid_request_error","param":"top_p",)"
            R"("code":"invalid_value"}})");
  EXPECT_TRUE(reply.headers.empty());
}

TEST(ErrorTest, WithoutParamItIsNull) {
  EXPECT_EQ(ToErrorReply(Error("not_found", "", "No such path.")).body,
            R"({"error":{"message":"No such path.","type":"invalid_request_error","param":null,)"
            R"("code":"not_found"}})");
}

// Rows of the status table.
TEST(ErrorTest, SlugDecidesStatusAndType) {
  const struct {
    const char* code;
    int status;
    const char* type;
  } kRows[] = {{"invalid_json", 400, "invalid_request_error"},
               {"context_length_exceeded", 400, "invalid_request_error"},
               {"invalid_api_key", 401, "authentication_error"},
               {"feature_disabled", 403, "permission_error"},
               {"model_not_found", 404, "invalid_request_error"},
               {"method_not_allowed", 405, "invalid_request_error"},
               {"request_too_large", 413, "invalid_request_error"},
               {"unsupported_media_type", 415, "invalid_request_error"},
               {"internal_error", 500, "server_error"},
               {"not_implemented", 501, "not_supported_error"},
               {"upstream_error", 502, "server_error"},
               {"server_is_overloaded", 503, "service_unavailable_error"},
               {"model_loading", 503, "service_unavailable_error"},
               {"no_healthy_worker", 503, "service_unavailable_error"},
               {"shutting_down", 503, "service_unavailable_error"},
               {"deadline_exceeded", 504, "timeout_error"}};
  for (const auto& row : kRows) {
    const ErrorReply reply = ToErrorReply(Error(row.code, "", "m"));
    EXPECT_EQ(reply.status, row.status) << row.code;
    EXPECT_EQ(reply.code, row.code);
    EXPECT_TRUE(absl::StrContains(reply.body, std::string("\"type\":\"") + row.type + "\""))
        << reply.body;
  }
}

TEST(ErrorTest, StatusWithoutSlugIsToldByItsCode) {
  EXPECT_EQ(ToErrorReply(absl::InvalidArgumentError("m")).code, "invalid_value");
  EXPECT_EQ(ToErrorReply(absl::ResourceExhaustedError("m")).code, "server_is_overloaded");
  EXPECT_EQ(ToErrorReply(absl::UnavailableError("m")).code, "no_healthy_worker");
  EXPECT_EQ(ToErrorReply(absl::DeadlineExceededError("m")).code, "deadline_exceeded");
  EXPECT_EQ(ToErrorReply(absl::UnknownError("m")).status, 500);
}

TEST(ErrorTest, InternalMessagesAreNotShown) {
  EXPECT_FALSE(absl::StrContains(ToErrorReply(absl::InternalError("/etc/secret")).body, "secret"));
}

TEST(ErrorTest, OverloadSaysWhenToComeBack) {
  const absl::Status full = absl::ResourceExhaustedError("full");
  EXPECT_THAT(ToErrorReply(full).headers, UnorderedElementsAre(Pair("Retry-After", "1")));
  EXPECT_THAT(ToErrorReply(WithRetryAfter(full, absl::Milliseconds(6200))).headers,
              UnorderedElementsAre(Pair("Retry-After", "7")));
  EXPECT_THAT(ToErrorReply(WithRetryAfter(full, absl::Hours(1))).headers,
              UnorderedElementsAre(Pair("Retry-After", "60")));
}

TEST(ErrorTest, DeadlineMustNotBeRetried) {
  EXPECT_THAT(ToErrorReply(absl::DeadlineExceededError("late")).headers,
              UnorderedElementsAre(Pair("x-should-retry", "false")));
}

TEST(ErrorTest, MissingKeyNamesTheScheme) {
  EXPECT_THAT(ToErrorReply(Error("invalid_api_key", "", "m")).headers,
              UnorderedElementsAre(Pair("WWW-Authenticate", "Bearer")));
}

TEST(ErrorTest, ContextErrorHasTheWordsAndNumbersClientsLookFor) {
  EXPECT_EQ(
      ToErrorReply(PromptTooLong("prompt", 100, 120, true)).body,
      R"({"error":{"message":"This model's maximum context length is 100 tokens. However, your )"
      R"(prompt contains 120 input tokens, which leaves no room for an answer. Please shorten )"
      R"(the prompt.","type":"invalid_request_error","param":"prompt",)"
      R"("code":"context_length_exceeded","n_prompt_tokens":120,"n_ctx":100}})");
  EXPECT_EQ(
      ToErrorReply(OutputTooLong("max_completion_tokens", 100, 60, 50)).body,
      R"({"error":{"message":"This model's maximum context length is 100 tokens. However, your )"
      R"(prompt contains 60 input tokens and you requested 50 output tokens, for a total of )"
      R"(110. Please shorten the prompt or max_completion_tokens.","type":"invalid_request_error",)"
      R"("param":"max_completion_tokens","code":"context_length_exceeded","n_prompt_tokens":60,"n_ctx":100}})");
}

TEST(ErrorTest, LargeCountsAreExact) {
  EXPECT_TRUE(absl::StrContains(ToErrorReply(PromptTooLong("messages", 8192, 1234567, false)).body,
                                R"("n_prompt_tokens":1234567,"n_ctx":8192})"));
}

TEST(ErrorTest, MessageIsOneLineOfUtf8) {
  EXPECT_TRUE(absl::StrContains(ToErrorReply(Error("invalid_value", "", "a\nb\xFF")).body,
                                "a b\xEF\xBF\xBD"));
}

}  // namespace
}  // namespace switchboard::openai
