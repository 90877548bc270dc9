#include "gateway/models/prompt.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/manual_clock.h"
#include "tests/support/status_matchers.h"
#include "tests/unit/gateway/byte_card.h"
#include "tests/unit/gateway/openai/error_case.h"

namespace switchboard::gateway {
namespace {

using openai::ParseObject;
using openai::Verdict;
using testing::ElementsAreArray;

constexpr char kTinyPng[] =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4AWM4IScHAAK2AQUmJcn5AAAAAElFTkSuQmCC";

absl::StatusOr<Prompt> Chat(const std::string& body, const Model& model) {
  const ManualClock clock;
  const JsonObject object = ParseObject(body);
  absl::StatusOr<openai::ChatRequest> request = openai::ReadChatRequest(object);
  if (!request.ok()) return request.status();
  return BuildChatPrompt(&*request, model, clock);
}

absl::StatusOr<Prompt> Completion(const std::string& body, const Model& model) {
  const absl::StatusOr<openai::CompletionRequest> request =
      openai::ReadCompletionRequest(ParseObject(body));
  if (!request.ok()) return request.status();
  return BuildCompletionPrompt(*request, model);
}

std::vector<int32_t> Ids(std::initializer_list<std::vector<int32_t>> parts) {
  std::vector<int32_t> ids;
  for (const std::vector<int32_t>& part : parts) ids.insert(ids.end(), part.begin(), part.end());
  return ids;
}

class PromptTest : public testing::Test {
 protected:
  const std::shared_ptr<const Model> model_ = MakeModel(ByteCard());
};

TEST_F(PromptTest, TemplateTokensAreControlAndUserTextIsNot) {
  const absl::StatusOr<Prompt> prompt =
      Chat(R"({"messages": [{"role": "user", "content": "<|user|>a"}]})", *model_);
  ASSERT_THAT(prompt, IsOk());
  EXPECT_THAT(prompt->ids,
              ElementsAreArray(Ids({{kUserToken}, Bytes("<|user|>a"), {kAssistantToken}})));
  EXPECT_EQ(prompt->thought, text::Thought::kNotOpened);
}

TEST_F(PromptTest, VariablesReachTheTemplateAndTheThoughtIsSeen) {
  const absl::StatusOr<Prompt> prompt =
      Chat(R"({"messages": [{"role": "user", "content": "a"}], "enable_thinking": true})", *model_);
  ASSERT_THAT(prompt, IsOk());
  EXPECT_THAT(prompt->ids,
              ElementsAreArray(Ids({{kUserToken}, Bytes("a"), {kAssistantToken, kThinkToken}})));
  EXPECT_EQ(prompt->thought, text::Thought::kOpen);
}

TEST_F(PromptTest, ImagePlaceholderIsExpandedInFrontOfTheText) {
  const absl::StatusOr<Prompt> prompt =
      Chat(std::string(R"({"messages": [{"role": "user", "content": [{"type": "text", "text": "?"},
                       {"type": "image", "data": ")") +
               kTinyPng + R"("}]}]})",
           *model_);
  ASSERT_THAT(prompt, IsOk());
  // 1 x 1 is enlarged to 28 x 28, and that to 84 x 84 for the least area: 6 x 6 patches, 9 tokens.
  const std::vector<int32_t> image(9, kImageToken);
  EXPECT_THAT(prompt->ids,
              ElementsAreArray(Ids({{kUserToken}, image, Bytes("\n?"), {kAssistantToken}})));
  ASSERT_EQ(prompt->images.size(), 1u);
  EXPECT_EQ(prompt->images[0].offset, 1);
}

TEST_F(PromptTest, PlaceholderWrittenByAPersonIsText) {
  const absl::StatusOr<Prompt> prompt =
      Chat(R"({"messages": [{"role": "user", "content": "<|image|>"}]})", *model_);
  ASSERT_THAT(prompt, IsOk());
  EXPECT_THAT(prompt->ids,
              ElementsAreArray(Ids({{kUserToken}, Bytes("<|image|>"), {kAssistantToken}})));
}

TEST_F(PromptTest, MegabytesAreRefusedWithoutBeingCounted) {
  const std::string text(5 << 20, 'w');
  EXPECT_EQ(
      Verdict(Chat(R"({"messages": [{"role": "user", "content": ")" + text + R"("}]})", *model_)
                  .status()),
      "400 context_length_exceeded messages");
}

TEST_F(PromptTest, ModelWithoutTemplateTakesNoChat) {
  ModelCard card = ByteCard();
  card.chat_template = "";
  EXPECT_EQ(
      Verdict(
          Chat(R"({"messages": [{"role": "user", "content": "a"}]})", *MakeModel(card)).status()),
      "400 invalid_value model");
}

TEST_F(PromptTest, TemplateThatRefusesGivesItsReason) {
  ModelCard card = ByteCard();
  card.chat_template = "{{ raise_exception('No wizards.') }}";
  EXPECT_THAT(Chat(R"({"messages": [{"role": "user", "content": "a"}]})", *MakeModel(card)),
              StatusIs(absl::StatusCode::kInvalidArgument, testing::HasSubstr("No wizards.")));
}

TEST_F(PromptTest, TruncationKeepsTheEndUnlessToldOtherwise) {
  const absl::StatusOr<Prompt> left =
      Completion(R"({"prompt": "abcdef", "truncate_prompt_tokens": 2})", *model_);
  ASSERT_THAT(left, IsOk());
  EXPECT_THAT(left->ids, ElementsAreArray(Bytes("ef")));
  const absl::StatusOr<Prompt> right = Completion(
      R"({"prompt": "abcdef", "truncate_prompt_tokens": 2, "truncation_side": "right"})", *model_);
  ASSERT_THAT(right, IsOk());
  EXPECT_THAT(right->ids, ElementsAreArray(Bytes("ab")));
}

TEST_F(PromptTest, WhatIsTruncatedMayBeAnyLength) {
  // 32 bytes for each token of the context, and one more.
  const std::string text = std::string(32000, 'a') + "z";
  const std::string prompt = R"({"prompt": ")" + text + R"(")";
  EXPECT_EQ(Verdict(Completion(prompt + "}", *model_).status()),
            "400 context_length_exceeded prompt");
  const absl::StatusOr<Prompt> left =
      Completion(prompt + R"(, "truncate_prompt_tokens": 2})", *model_);
  ASSERT_THAT(left, IsOk());
  EXPECT_THAT(left->ids, ElementsAreArray(Bytes("az")));
}

TEST_F(PromptTest, CompletionTextMayHoldControlTokens) {
  const absl::StatusOr<Prompt> prompt = Completion(R"({"prompt": "a<|user|>"})", *model_);
  ASSERT_THAT(prompt, IsOk());
  EXPECT_THAT(prompt->ids, ElementsAreArray({97, kUserToken}));
  EXPECT_EQ(prompt->text, "");
}

TEST_F(PromptTest, CompletionIdsAreUsedAsTheyStand) {
  const absl::StatusOr<Prompt> prompt =
      Completion(R"({"prompt": [97, 98], "echo": true})", *model_);
  ASSERT_THAT(prompt, IsOk());
  EXPECT_THAT(prompt->ids, ElementsAreArray({97, 98}));
  EXPECT_EQ(prompt->text, "ab");
}

TEST_F(PromptTest, BadCompletionPromptsAreRefused) {
  EXPECT_EQ(Verdict(Completion(R"({"prompt": ""})", *model_).status()), "400 invalid_value prompt");
  EXPECT_EQ(Verdict(Completion(R"({"prompt": [262]})", *model_).status()),
            "400 invalid_value prompt");
  EXPECT_EQ(Verdict(Completion(R"({"prompt": "<|image|>"})", *model_).status()),
            "400 invalid_value prompt");
}

}  // namespace
}  // namespace switchboard::gateway
