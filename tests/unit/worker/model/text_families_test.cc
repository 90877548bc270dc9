// What each family makes of its config.json.
#include "worker/model/text_families.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/status_matchers.h"

namespace switchboard::model {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr absl::StatusCode kInvalid = absl::StatusCode::kInvalidArgument;

// A config of four layers with these keys added or replaced.
JsonObject Config(const std::string& keys) {
  JsonObject config = ParseJson(R"({"vocab_size": 1000, "hidden_size": 64, "intermediate_size": 96,
      "num_hidden_layers": 4, "num_attention_heads": 4, "num_key_value_heads": 2,
      "hidden_act": "silu", "rms_norm_eps": 1e-5, "max_position_embeddings": 2048})")
                          ->as_object();
  const Json added = *ParseJson(keys);
  for (const auto& [key, value] : added.as_object()) config[key] = value;
  return config;
}

TextConfig Parse(const TextFamily& family, const std::string& keys) {
  const auto config = family.parse(Config(keys));
  EXPECT_THAT(config, IsOk());
  return config.ok() ? *config : TextConfig();
}

TEST(TextFamiliesTest, LlamaReadsItsScaledRotary) {
  const TextConfig config = Parse(
      kLlama, R"({"rope_theta": 500000.0, "rope_scaling": {"factor": 8.0, "low_freq_factor": 1.0,
      "high_freq_factor": 4.0, "original_max_position_embeddings": 8192, "rope_type": "llama3"}})");
  EXPECT_EQ(config.rotary.theta, 500000.0);
  EXPECT_EQ(config.rotary.pairs, 8);
  EXPECT_EQ(config.rotary.layout, RotaryPairs::kHalves);
  EXPECT_EQ(config.rotary.scaling.kind, RopeScaling::Kind::kLlama3);
  EXPECT_EQ(config.rotary.scaling.factor, 8.0);
  EXPECT_EQ(config.rotary.scaling.low_factor, 1.0);
  EXPECT_EQ(config.rotary.scaling.high_factor, 4.0);
  EXPECT_EQ(config.rotary.scaling.original_length, 8192);
  EXPECT_FALSE(config.qkv_bias || config.out_bias || config.mlp_bias);
  EXPECT_THAT(config.windows, IsEmpty());
}

TEST(TextFamiliesTest, LlamaAttentionBiasIsOnTheOutputToo) {
  const TextConfig config = Parse(kLlama, R"({"attention_bias": true, "head_dim": 32})");
  EXPECT_TRUE(config.qkv_bias && config.out_bias);
  EXPECT_FALSE(config.mlp_bias);
  EXPECT_EQ(config.head_dim, 32);
  EXPECT_TRUE(Parse(kLlama, R"({"mlp_bias": true})").mlp_bias);
}

TEST(TextFamiliesTest, RopeTypeIsReadUnderItsOldName) {
  EXPECT_EQ(
      Parse(kLlama, R"({"rope_scaling": {"type": "linear", "factor": 2.0}})").rotary.scaling.factor,
      2.0);
}

TEST(TextFamiliesTest, MistralHasOneWindowOnAllLayers) {
  EXPECT_THAT(Parse(kMistral, R"({"sliding_window": 56})").windows, ElementsAre(56, 56, 56, 56));
  EXPECT_THAT(Parse(kMistral, R"({"sliding_window": null})").windows, IsEmpty());
  EXPECT_EQ(Parse(kMistral, "{}").window(3), 4096);
}

TEST(TextFamiliesTest, Qwen2HasBiasesOnQueryKeyAndValue) {
  const TextConfig config = Parse(kQwen2, R"({"rope_theta": 1e6, "sliding_window": 16})");
  EXPECT_TRUE(config.qkv_bias);
  EXPECT_FALSE(config.out_bias);
  EXPECT_THAT(config.windows, IsEmpty());  // the number alone means nothing
}

TEST(TextFamiliesTest, Qwen2WindowIsOnTheLaterLayers) {
  EXPECT_THAT(Parse(kQwen2, R"({"use_sliding_window": true, "sliding_window": 24,
                                "max_window_layers": 3})")
                  .windows,
              ElementsAre(0, 0, 0, 24));
}

TEST(TextFamiliesTest, LayerTypesSayWhichLayersHaveTheWindow) {
  EXPECT_THAT(Parse(kQwen3, R"({"use_sliding_window": true, "sliding_window": 24,
      "max_window_layers": 4, "layer_types": ["sliding_attention", "full_attention",
      "full_attention", "sliding_attention"]})")
                  .windows,
              ElementsAre(24, 0, 0, 24));
}

TEST(TextFamiliesTest, Qwen3ReadsTheNewRopeKeyAndItsOwnHeadSize) {
  const TextConfig config =
      Parse(kQwen3, R"({"rope_parameters": {"rope_type": "default", "rope_theta": 1000000}})");
  EXPECT_EQ(config.rotary.theta, 1e6);
  EXPECT_EQ(config.head_dim, 128);  // the class's default, not hidden_size / heads
  EXPECT_FALSE(config.qkv_bias);
}

TEST(TextFamiliesTest, GlmTurnsHalfOfAHeadInNeighbours) {
  const TextConfig config = Parse(kGlm, R"({"head_dim": 16, "attention_bias": true})");
  EXPECT_EQ(config.rotary.layout, RotaryPairs::kAdjacent);
  EXPECT_EQ(config.rotary.pairs, 4);
  EXPECT_TRUE(config.qkv_bias);
  EXPECT_FALSE(config.out_bias);
  EXPECT_EQ(
      Parse(kGlm4, R"({"head_dim": 96, "partial_rotary_factor": 0.8333333333333333})").rotary.pairs,
      40);
}

TEST(TextFamiliesTest, SizesMayStandInATextConfig) {
  JsonObject config;
  config["text_config"] = Config(R"({"tie_word_embeddings": true})");
  EXPECT_TRUE(kLlama.parse(config)->tie_word_embeddings);
}

TEST(TextFamiliesTest, WhatIsNotKnownIsRefusedByName) {
  const std::pair<const char*, const char*> faults[] = {
      {R"({"rope_scaling": {"rope_type": "yarn", "factor": 4.0}})",
       "rope type \"yarn\" is not supported; default, linear and llama3 are"},
      {R"({"rope_scaling": {"rope_type": "llama3", "factor": 8.0}})", "low_freq_factor is missing"},
      {R"({"rope_scaling": {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 4,
           "high_freq_factor": 4, "original_max_position_embeddings": 64}})",
       "low_freq_factor 4 must be below"},
      {R"({"rope_scaling": {"rope_type": "linear", "factor": 0}})", "factor is 0"},
      {R"({"rope_scaling": {"rope_type": "divisors", "divisors": [1, 2]}})", "list of 8 numbers"},
      {R"({"rope_scaling": {"rope_type": 7}})", "rope type 7 is not a name"},
      {R"({"rope_parameters": {"full_attention": {"rope_type": "default"}}})",
       "rotations that differ between layers"},
      {R"({"hidden_act": "relu"})", "hidden_act is \"relu\"; only \"silu\""},
      {R"({"head_dim": 0})", "head_dim is 0"},
      {R"({"num_attention_heads": 5})", "do not divide evenly"},
      {R"({"quantization_config": {"quant_method": "gptq"}})", "quantization_config"},
  };
  for (const auto& [keys, message] : faults) {
    EXPECT_THAT(kLlama.parse(Config(keys)), StatusIs(kInvalid, HasSubstr(message))) << keys;
  }
}

TEST(TextFamiliesTest, WindowsOutOfRangeAreNamed) {
  EXPECT_THAT(kMistral.parse(Config(R"({"sliding_window": 0})")),
              StatusIs(kInvalid, HasSubstr("sliding_window is 0")));
  EXPECT_THAT(kQwen2.parse(Config(R"({"use_sliding_window": true, "sliding_window": 8})")),
              StatusIs(kInvalid, HasSubstr("max_window_layers is missing")));
  EXPECT_THAT(kQwen3.parse(Config(R"({"use_sliding_window": true, "sliding_window": 8,
                                      "layer_types": ["full_attention"]})")),
              StatusIs(kInvalid, HasSubstr("layer_types is not a list of 4 names")));
  EXPECT_THAT(kQwen3.parse(Config(R"({"use_sliding_window": true, "sliding_window": 8,
                                      "layer_types": ["a", "b", "c", "d"]})")),
              StatusIs(kInvalid, HasSubstr("layer_types holds \"a\"")));
}

}  // namespace
}  // namespace switchboard::model
