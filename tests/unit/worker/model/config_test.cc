#include "worker/model/config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/status_matchers.h"
#include "tests/unit/worker/model/tiny_checkpoint.h"

namespace switchboard::model {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr absl::StatusCode kInvalid = absl::StatusCode::kInvalidArgument;

// The sizes of GLM-4.1V-9B-Thinking, in the layout of transformers 4.
constexpr char kNineBillion[] = R"({
  "architectures": ["Glm4vForConditionalGeneration"], "model_type": "glm4v",
  "image_token_id": 151343, "eos_token_id": [151329, 151336, 151338, 151348],
  "text_config": {"vocab_size": 151552, "hidden_size": 4096, "intermediate_size": 13696,
    "num_hidden_layers": 40, "num_attention_heads": 32, "num_key_value_heads": 2,
    "hidden_act": "silu", "rms_norm_eps": 1e-05, "max_position_embeddings": 65536,
    "rope_theta": 10000.0, "partial_rotary_factor": 0.5,
    "rope_scaling": {"rope_type": "default", "mrope_section": [8, 12, 12]}},
  "vision_config": {"depth": 24, "hidden_size": 1536, "num_heads": 12, "intermediate_size": 13696,
    "out_hidden_size": 4096, "image_size": 336, "patch_size": 14, "in_channels": 3,
    "spatial_merge_size": 2, "temporal_patch_size": 2, "hidden_act": "silu",
    "attention_bias": false, "rms_norm_eps": 1e-05}})";

JsonObject Config() { return ParseJson(kNineBillion)->as_object(); }

JsonObject& Part(JsonObject& config, const char* name) { return config[name].as_object(); }

TEST(ConfigTest, ReadsTheNineBillionModel) {
  const auto config = ParseGlm4vConfig(Config());
  ASSERT_THAT(config, IsOk());
  EXPECT_EQ(config->text.head_dim, 128);
  EXPECT_EQ(config->text.rotary.pairs, 32);
  EXPECT_THAT(config->text.rotary.sections, ElementsAre(8, 12, 12));
  EXPECT_FALSE(config->text.tie_word_embeddings);
  EXPECT_EQ(config->vision.mlp_size, 4096);      // the block's width is out_hidden_size
  EXPECT_EQ(config->vision.merger_size, 13696);  // intermediate_size is the merger's
  EXPECT_EQ(config->vision.position_side, 24);
  EXPECT_EQ(config->vision.patch_width, 1176);
  EXPECT_EQ(config->image_token_id, 151343);
}

TEST(ConfigTest, ReadsTheRopeLayoutOfTransformersFive) {
  JsonObject json = Config();
  JsonObject& text = Part(json, "text_config");
  text.erase("rope_theta");
  text.erase("partial_rotary_factor");
  text.erase("rope_scaling");
  text["rope_parameters"] = *ParseJson(
      R"({"rope_type":"default","rope_theta":500,"partial_rotary_factor":0.25,"mrope_section":[4,6,6]})");
  const auto config = ParseGlm4vConfig(json);
  ASSERT_THAT(config, IsOk());
  EXPECT_EQ(config->text.rotary.theta, 500.0);
  EXPECT_EQ(config->text.rotary.pairs, 16);
  EXPECT_THAT(config->text.rotary.sections, ElementsAre(4, 6, 6));
}

TEST(ConfigTest, RopeTypeMropeMeansDefault) {
  JsonObject json = Config();
  Part(json, "text_config")["rope_scaling"] =
      *ParseJson(R"({"type":"mrope","mrope_section":[8,12,12]})");
  EXPECT_THAT(ParseGlm4vConfig(json), IsOk());
}

TEST(ConfigTest, ImageTokenIdMayStandInTheTextConfig) {
  JsonObject json = Config();
  json.erase("image_token_id");
  Part(json, "text_config")["image_token_id"] = 7;
  const auto config = ParseGlm4vConfig(json);
  ASSERT_THAT(config, IsOk());
  EXPECT_EQ(config->image_token_id, 7);
}

TEST(ConfigTest, ImageTokenIdMustBeOneTokenId) {
  for (const char* value : {"-1", "[1]", "1.5", "\"<image>\"", "2147483648"}) {
    JsonObject json = Config();
    json["image_token_id"] = *ParseJson(value);
    EXPECT_THAT(ParseGlm4vConfig(json), StatusIs(kInvalid, HasSubstr("image_token_id is")))
        << value;
  }
}

TEST(ConfigTest, HeadDimKeyIsNotReadByThisFamily) {
  JsonObject json = Config();
  Part(json, "text_config")["head_dim"] = 77;
  EXPECT_EQ(ParseGlm4vConfig(json)->text.head_dim, 128);
}

struct Fault {
  const char *part, *key, *value, *message;
};

TEST(ConfigTest, ValuesOutOfRangeAreNamed) {
  const Fault faults[] = {
      {"text_config", "vocab_size", "0", "text_config.vocab_size is 0"},
      {"text_config", "vocab_size", "99999999999", "vocab_size is 99999999999"},
      {"text_config", "vocab_size", "\"many\"", "vocab_size is \"many\""},
      {"text_config", "vocab_size", "null", "text_config.vocab_size is missing"},
      {"text_config", "hidden_size", "4095", "do not divide evenly"},
      {"text_config", "num_key_value_heads", "3", "do not divide evenly"},
      {"text_config", "num_attention_heads", "-4", "num_attention_heads is -4"},
      {"text_config", "rms_norm_eps", "2", "rms_norm_eps is 2"},
      {"text_config", "rope_theta", "0", "rope_theta is 0"},
      {"text_config", "hidden_act", "\"gelu\"", "hidden_act is \"gelu\"; only \"silu\""},
      {"text_config", "tie_word_embeddings", "1", "tie_word_embeddings is not true or false"},
      {"text_config", "partial_rotary_factor", "0.002", "leaves no pair to rotate"},
      {"text_config", "partial_rotary_factor", "0.25", "mrope_section sums to 32"},
      {"text_config", "rope_scaling", "[]", "rope_scaling is not an object"},
      {"text_config", "rope_scaling", R"({"rope_type":"yarn"})", "\"yarn\" is not supported"},
      {"text_config", "rope_scaling", R"({"mrope_section":[8,12]})", "not an array of three"},
      {"text_config", "rope_scaling", R"({"mrope_section":[8,12,-12]})", "value -12"},
      {"vision_config", "out_hidden_size", "2048", "must be text_config.hidden_size 4096"},
      {"vision_config", "num_heads", "7", "no head size"},
      {"vision_config", "attention_bias", "true", "attention_bias is not supported"},
      {"vision_config", "image_size", "13", "image_size at least patch_size"},
      {"vision_config", "depth", "1e3", "vision_config.depth is 1000"},
  };
  for (const Fault& fault : faults) {
    JsonObject json = Config();
    Part(json, fault.part)[fault.key] = *ParseJson(fault.value);
    EXPECT_THAT(ParseGlm4vConfig(json), StatusIs(kInvalid, HasSubstr(fault.message)))
        << fault.key << " " << fault.value;
  }
}

TEST(ConfigTest, MissingPartsAreNamed) {
  for (const char* key : {"text_config", "vision_config", "image_token_id"}) {
    JsonObject json = Config();
    json.erase(key);
    EXPECT_THAT(ParseGlm4vConfig(json), StatusIs(kInvalid, HasSubstr(key)));
  }
}

TEST(ConfigTest, TiedEmbeddingsMayBeSaidInEitherPlace) {
  for (const bool root : {false, true}) {
    JsonObject json = Config();
    (root ? json : Part(json, "text_config"))["tie_word_embeddings"] = true;
    EXPECT_TRUE(ParseGlm4vConfig(json)->text.tie_word_embeddings);
  }
}

}  // namespace
}  // namespace switchboard::model
