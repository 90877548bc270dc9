#include "gateway/upstream/convert.h"

#include <gmock/gmock.h>
#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include "base/check.h"
#include "tests/support/status_matchers.h"

namespace switchboard::gateway {
namespace {

using google::protobuf::TextFormat;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

template <typename T>
T FromText(const char* text) {
  T message;
  CHECK(TextFormat::ParseFromString(text, &message));
  return message;
}

TEST(ConvertTest, EveryFieldOfACallIsSent) {
  GenerateCall call;
  call.request_id = "r";
  call.model = "m";
  call.fingerprint = "f";
  call.prompt_ids = {1, 2};
  call.choices = 3;
  PromptImage image;
  image.content = "png";
  image.sha256 = "sha";
  image.grid_h = 4;
  image.grid_w = 6;
  image.offset = 1;
  image.tokens = 6;
  call.images.push_back(image);
  openai::Sampling& s = call.sampling;
  s.temperature = 0.5;
  s.top_p = 0.25;
  s.top_k = 7;
  s.min_p = 0.125;
  s.repetition_penalty = 1.5;
  s.frequency_penalty = -1;
  s.presence_penalty = 2;
  s.logit_bias = {{5, -100}};
  s.seed = 0xFFFFFFFFFFFFFFFF;
  s.max_tokens = 9;
  s.min_tokens = 1;
  s.stop_token_ids = {8};
  s.ignore_eos = true;
  s.logprobs = true;
  s.top_logprobs = 2;
  const v1::GenerateRequest wanted = FromText<v1::GenerateRequest>(R"(
      request_id: "r" model: "m" fingerprint: "f" prompt_ids: [1, 2] choices: 3
      media { content: "png" sha256: "sha" grid_h: 4 grid_w: 6 prompt_offset: 1 tokens: 6 }
      sampling { temperature: 0.5 top_p: 0.25 top_k: 7 min_p: 0.125 repetition_penalty: 1.5
                 frequency_penalty: -1 presence_penalty: 2 logit_bias { token_id: 5 bias: -100 }
                 seed: 18446744073709551615 max_tokens: 9 min_tokens: 1 stop_token_ids: 8
                 ignore_eos: true logprobs: true top_logprobs: 2 })");
  EXPECT_EQ(ToProto(call).SerializeAsString(), wanted.SerializeAsString());
}

TEST(ConvertTest, EventsKeepTheirValues) {
  const absl::StatusOr<GenerationEvent> tokens = FromProto(FromText<v1::GenerateEvent>(R"(
          tokens { choice: 1 position: 5 ids: [7] logprobs {
                   logprob: -0.5 top_ids: [7, 3] top_logprobs: [-0.5, -1.5] } })"));
  ASSERT_THAT(tokens, IsOk());
  const Tokens& t = std::get<Tokens>(*tokens);
  EXPECT_EQ(t.choice, 1);
  EXPECT_EQ(t.position, 5);
  EXPECT_THAT(t.ids, ElementsAre(7));
  EXPECT_EQ(t.logprobs[0].logprob, -0.5f);
  EXPECT_THAT(t.logprobs[0].top, ElementsAre(Pair(7, -0.5f), Pair(3, -1.5f)));

  const absl::StatusOr<GenerationEvent> finished = FromProto(FromText<v1::GenerateEvent>(R"(
      finished { choice: 1 reason: REASON_STOP stop_token_id: 9 stop_token_requested: true
                 completion_tokens: 6 })"));
  ASSERT_THAT(finished, IsOk());
  const Finished& f = std::get<Finished>(*finished);
  EXPECT_FALSE(f.by_length);
  EXPECT_EQ(f.stop_token_id, 9);
  EXPECT_TRUE(f.stop_token_requested);
  EXPECT_EQ(f.completion_tokens, 6);

  const absl::StatusOr<GenerationEvent> accepted =
      FromProto(FromText<v1::GenerateEvent>(R"(accepted { worker: "w" cached_tokens: 3 })"));
  ASSERT_THAT(accepted, IsOk());
  EXPECT_EQ(std::get<Accepted>(*accepted).cached_tokens, 3);
}

TEST(ConvertTest, EventsThatDoNotFitTogetherAreErrors) {
  const auto error = [](const char* text) {
    return FromProto(FromText<v1::GenerateEvent>(text)).status();
  };
  EXPECT_THAT(error(""), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("content")));
  EXPECT_THAT(error("tokens { ids: [1, 2] logprobs {} }"),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("2 ids and 1 logprobs")));
  EXPECT_THAT(error("tokens { ids: 1 logprobs { top_ids: 1 } }"),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("top_ids")));
  EXPECT_THAT(error("finished {}"),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("finished.reason")));
}

TEST(ConvertTest, CardsKeepWhatIsUnset) {
  const ModelCard card = FromProto(FromText<v1::ModelCard>(R"(
      fingerprint: "f" tokenizer_json: "{}" chat_template: "t" max_model_len: 100 vocab_size: 50
      default_sampling { temperature: 0 top_k: 2 } clamp_max_tokens: true
      default_reasoning: REASONING_SPLIT content_format: CONTENT_FORMAT_OPENAI)"));
  EXPECT_EQ(card.fingerprint, "f");
  EXPECT_EQ(card.limits.max_model_len, 100);
  EXPECT_EQ(card.limits.vocab_size, 50);
  EXPECT_EQ(card.limits.temperature, 0.0);
  EXPECT_EQ(card.limits.top_k, 2);
  EXPECT_EQ(card.limits.top_p, std::nullopt);
  EXPECT_EQ(card.limits.max_new_tokens, std::nullopt);
  EXPECT_TRUE(card.limits.clamp_max_tokens);
  EXPECT_FALSE(card.image_input.has_value());
  EXPECT_TRUE(card.splits_reasoning);
  EXPECT_TRUE(card.content_as_parts);
}

TEST(ConvertTest, ImageInputIsThatOfTheCard) {
  const ModelCard card = FromProto(FromText<v1::ModelCard>(R"(
      image_input { image_token_id: 5 placeholder: "<i>" patch_size: 14 merge_size: 2
                    temporal_patch_size: 2 min_pixels: 12544 max_pixels: 94080 max_images: 10 })"));
  ASSERT_TRUE(card.image_input.has_value());
  EXPECT_EQ(card.image_input->token_id, 5);
  EXPECT_EQ(card.image_input->placeholder, "<i>");
  EXPECT_EQ(card.image_input->grid.max_pixels, 94080);
  EXPECT_EQ(card.image_input->max_images, 10);
}

}  // namespace
}  // namespace switchboard::gateway
