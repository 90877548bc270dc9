#include "worker/model/gguf_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/status_matchers.h"
#include "tests/unit/worker/model/gguf_builder.h"

namespace switchboard::model {
namespace {

using testing::HasSubstr;

constexpr absl::StatusCode kInvalid = absl::StatusCode::kInvalidArgument;
constexpr absl::StatusCode kUnimplemented = absl::StatusCode::kUnimplemented;

// Everything that a configuration needs: heads of 2, rotary all of it.
GgufBuilder File(const std::string& architecture) {
  GgufBuilder file;
  file.Text("general.architecture", architecture);
  file.Uint(architecture + ".block_count", 3);
  file.Uint(architecture + ".context_length", 2048);
  file.Uint(architecture + ".embedding_length", 8);
  file.Uint(architecture + ".feed_forward_length", 24);
  file.Uint(architecture + ".attention.head_count", 4);
  file.Float(architecture + ".attention.layer_norm_rms_epsilon", 1e-5f);
  file.Tensor("token_embd.weight", {5, 8}, GgufBuilder::kF32, std::string(160, '\0'));
  return file;
}

absl::StatusOr<Json> Config(const GgufBuilder& file) {
  const std::string bytes = file.Build();
  const auto content = ParseGguf(bytes);
  if (!content.ok()) return content.status();
  auto config = GgufConfig(*content);
  if (!config.ok()) return config.status();
  return Json(*std::move(config));
}

Json Parsed(const std::string& text) { return *ParseJson(text); }

TEST(GgufConfigTest, SizesTakeTheNamesOfConfigJson) {
  const auto config = Config(File("llama"));
  ASSERT_THAT(config, IsOk());
  EXPECT_EQ(*config, Parsed(R"({
    "architectures": ["LlamaForCausalLM"], "hidden_act": "silu", "num_hidden_layers": 3,
    "max_position_embeddings": 2048, "hidden_size": 8, "intermediate_size": 24, "vocab_size": 5,
    "rms_norm_eps": 9.999999747378752e-06, "num_attention_heads": 4, "num_key_value_heads": 4,
    "head_dim": 2, "rope_theta": 10000.0, "tie_word_embeddings": true, "attention_bias": false})"));
}

TEST(GgufConfigTest, ClassesFollowTheArchitecture) {
  const std::pair<const char*, const char*> classes[] = {{"llama", "LlamaForCausalLM"},
                                                         {"qwen2", "Qwen2ForCausalLM"},
                                                         {"qwen3", "Qwen3ForCausalLM"},
                                                         {"glm4", "Glm4ForCausalLM"},
                                                         {"chatglm", "GlmForCausalLM"}};
  for (const auto& [architecture, class_name] : classes) {
    const auto config = Config(File(architecture));
    ASSERT_THAT(config, IsOk());
    EXPECT_EQ(config->at("architectures"), Json(JsonArray{class_name}));
  }
  EXPECT_THAT(Config(File("mamba")), StatusIs(kUnimplemented, HasSubstr("'mamba'")));
}

TEST(GgufConfigTest, HeadsMayHaveTheirOwnSizeAndTurnInPart) {
  GgufBuilder file = File("glm4");
  file.Uint("glm4.attention.head_count_kv", 2);
  file.Uint("glm4.attention.key_length", 16).Uint("glm4.attention.value_length", 16);
  file.Uint("glm4.rope.dimension_count", 8).Float("glm4.rope.freq_base", 500000.0f);
  const auto config = Config(file);
  ASSERT_THAT(config, IsOk());
  EXPECT_EQ(config->at("num_key_value_heads"), 2);
  EXPECT_EQ(config->at("head_dim"), 16);
  EXPECT_EQ(config->at("partial_rotary_factor"), 0.5);
  EXPECT_EQ(config->at("rope_theta"), 500000.0);
}

TEST(GgufConfigTest, C151_OutputWeightSaysWhetherEmbeddingsAreTied) {
  GgufBuilder file = File("llama");
  file.Tensor("output.weight", {5, 8}, GgufBuilder::kF32, std::string(160, '\0'));
  const auto config = Config(file);
  ASSERT_THAT(config, IsOk());
  EXPECT_EQ(config->at("tie_word_embeddings"), false);
}

TEST(GgufConfigTest, BiasOfTheFirstLayerIsAttentionBias) {
  for (const char* name : {"blk.0.attn_q.bias", "blk.0.attn_qkv.bias"}) {
    GgufBuilder file = File("chatglm");
    file.Tensor(name, {8}, GgufBuilder::kF32, std::string(32, '\0'));
    const auto config = Config(file);
    ASSERT_THAT(config, IsOk());
    EXPECT_EQ(config->at("attention_bias"), true);
  }
}

TEST(GgufConfigTest, RopeFrequenciesAreDivisors) {
  GgufBuilder file = File("llama");
  file.Tensor("rope_freqs.weight", {2}, GgufBuilder::kF32, Raw(1.0f) + Raw(8.5f));
  const auto config = Config(file);
  ASSERT_THAT(config, IsOk());
  EXPECT_EQ(config->at("rope_scaling"),
            Parsed(R"({"rope_type": "divisors", "divisors": [1.0, 8.5]})"));
}

TEST(GgufConfigTest, RopeScalingIsPassedOn) {
  GgufBuilder linear = File("llama");
  linear.Text("llama.rope.scaling.type", "linear").Float("llama.rope.scaling.factor", 4.0f);
  EXPECT_EQ(Config(linear)->at("rope_scaling"),
            Parsed(R"({"rope_type": "linear", "factor": 4.0})"));
  linear = File("llama");
  linear.Text("llama.rope.scaling.type", "linear");
  EXPECT_THAT(Config(linear), StatusIs(kInvalid, HasSubstr("'llama.rope.scaling.factor'")));
  GgufBuilder yarn = File("qwen2");
  yarn.Text("qwen2.rope.scaling.type", "yarn").Float("qwen2.rope.scaling.factor", 4.0f);
  EXPECT_THAT(Config(yarn), StatusIs(kUnimplemented, HasSubstr("none and linear are known")));
  GgufBuilder old = File("llama");
  old.Float("llama.rope.scale_linear", 4.0f);
  EXPECT_THAT(Config(old), StatusIs(kUnimplemented, HasSubstr("'llama.rope.scale_linear'")));
  GgufBuilder none = File("llama");
  none.Text("llama.rope.scaling.type", "none");
  EXPECT_FALSE(Config(none)->as_object().contains("rope_scaling"));
  GgufBuilder other = File("llama");
  other.Text("llama.rope.scaling.type", "longrope");
  EXPECT_THAT(Config(other), StatusIs(kUnimplemented, HasSubstr("'longrope'; none and linear")));
}

TEST(GgufConfigTest, RopeValuesOutOfRangeAreRefused) {
  for (const float value : {0.0f, -1.0f, NAN, INFINITY}) {
    GgufBuilder file = File("llama");
    file.Tensor("rope_freqs.weight", {1}, GgufBuilder::kF32, Raw(value));
    EXPECT_THAT(Config(file), StatusIs(kInvalid, HasSubstr("'rope_freqs.weight': has the value")));
    GgufBuilder scaled = File("llama");
    scaled.Text("llama.rope.scaling.type", "linear").Float("llama.rope.scaling.factor", value);
    EXPECT_THAT(Config(scaled), StatusIs(kInvalid, HasSubstr("'llama.rope.scaling.factor' is")));
  }
  for (const uint32_t turning : {0u, 1u, 4u}) {
    GgufBuilder file = File("llama");
    file.Uint("llama.rope.dimension_count", turning);
    EXPECT_THAT(Config(file), StatusIs(kInvalid, HasSubstr("for heads of 2")));
  }
  GgufBuilder twice = File("llama");
  twice.Text("llama.rope.scaling.type", "linear");
  twice.Tensor("rope_freqs.weight", {1}, GgufBuilder::kF32, Raw(1.0f));
  EXPECT_THAT(Config(twice), StatusIs(kInvalid, HasSubstr("contradicts llama.rope.scaling.type")));
}

TEST(GgufConfigTest, KindsThatChangeTheComputationAreRefused) {
  GgufBuilder experts = File("llama");
  experts.Uint("llama.expert_count", 8);
  EXPECT_THAT(Config(experts), StatusIs(kUnimplemented, HasSubstr("'llama.expert_count'")));
  GgufBuilder sections = File("glm4");
  sections.Pair("glm4.rope.dimension_sections", GgufType::kArray,
                RawArray(GgufType::kInt32, 3, std::string(12, '\1')));
  EXPECT_THAT(Config(sections), StatusIs(kUnimplemented, HasSubstr("rope.dimension_sections")));
  GgufBuilder dense = File("llama");
  dense.Uint("llama.expert_count", 0);
  EXPECT_THAT(Config(dense), IsOk());
}

TEST(GgufConfigTest, C148_MissingAndOddValuesAreNamed) {
  GgufBuilder empty;
  empty.Text("general.architecture", "llama");
  EXPECT_THAT(Config(empty), StatusIs(kInvalid, HasSubstr("'llama.block_count' is missing")));
  GgufBuilder heads = File("qwen2");
  heads.Pair("qwen2.attention.head_count_kv", GgufType::kArray,
             RawArray(GgufType::kUint32, 3, std::string(12, '\1')));
  EXPECT_THAT(Config(heads), StatusIs(kInvalid, HasSubstr("'qwen2.attention.head_count_kv' must")));
  GgufBuilder zero = File("qwen2");
  zero.Uint("qwen2.attention.head_count_kv", 0);
  EXPECT_THAT(Config(zero), StatusIs(kInvalid, HasSubstr("is 0, not from 1 to 4096")));
  GgufBuilder lengths = File("llama");
  lengths.Uint("llama.attention.key_length", 2).Uint("llama.attention.value_length", 4);
  EXPECT_THAT(Config(lengths), StatusIs(kInvalid, HasSubstr("key_length 2 and value_length 4")));
}

TEST(GgufConfigTest, OnlyFilesWithTheSuffixAreGguf) {
  EXPECT_TRUE(IsGgufPath("models/m.gguf"));
  EXPECT_FALSE(IsGgufPath("models/m"));
  EXPECT_FALSE(IsGgufPath("models/m.gguf/"));
}

}  // namespace
}  // namespace switchboard::model
