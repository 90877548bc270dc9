#include "worker/model/gguf_tensors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "absl/strings/str_cat.h"
#include "tests/support/status_matchers.h"
#include "tests/unit/worker/model/gguf_builder.h"

namespace switchboard::model {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr absl::StatusCode kInvalid = absl::StatusCode::kInvalidArgument;

// Heads: 4 of q, 2 of k and v.
GgufBuilder File(const std::string& architecture) {
  GgufBuilder file;
  file.Text("general.architecture", architecture);
  file.Uint(architecture + ".attention.head_count", 4);
  file.Uint(architecture + ".attention.head_count_kv", 2);
  return file;
}

std::string Zeros(int64_t floats) { return std::string(static_cast<size_t>(floats) * 4, '\0'); }

absl::StatusOr<std::map<std::string, StoredTensor>> Translate(const std::string& bytes) {
  const auto content = ParseGguf(bytes);
  if (!content.ok()) return content.status();
  const auto tensors = HuggingFaceTensors(*content);
  if (!tensors.ok()) return tensors.status();
  std::map<std::string, StoredTensor> by_name;
  for (const StoredTensor& tensor : *tensors) by_name[tensor.name] = tensor;
  return by_name;
}

std::vector<std::string> Names(const std::string& architecture,
                               const std::vector<std::string>& from) {
  GgufBuilder file = File(architecture);
  for (const std::string& name : from) {
    file.Tensor(name, {8, 2}, GgufBuilder::kF32, Zeros(16));
  }
  const std::string bytes = file.Build();
  const auto content = ParseGguf(bytes);
  const auto tensors = HuggingFaceTensors(*content);
  std::vector<std::string> names;
  for (const StoredTensor& tensor : *tensors) names.push_back(tensor.name);
  return names;
}

TEST(GgufTensorsTest, NamesOutsideOfLayers) {
  EXPECT_THAT(Names("qwen2", {"token_embd.weight", "output_norm.weight", "output.weight"}),
              ElementsAre("model.embed_tokens.weight", "model.norm.weight", "lm_head.weight"));
}

TEST(GgufTensorsTest, NamesInLayers) {
  EXPECT_THAT(
      Names("qwen3",
            {"blk.0.attn_norm.weight", "blk.10.attn_q.weight", "blk.0.attn_q.bias",
             "blk.1.attn_k.weight", "blk.1.attn_v.bias", "blk.0.attn_output.weight",
             "blk.0.attn_q_norm.weight", "blk.0.attn_k_norm.weight", "blk.0.ffn_norm.weight",
             "blk.0.ffn_gate.weight", "blk.0.ffn_up.weight", "blk.0.ffn_down.weight"}),
      ElementsAre(
          "model.layers.0.input_layernorm.weight", "model.layers.10.self_attn.q_proj.weight",
          "model.layers.0.self_attn.q_proj.bias", "model.layers.1.self_attn.k_proj.weight",
          "model.layers.1.self_attn.v_proj.bias", "model.layers.0.self_attn.o_proj.weight",
          "model.layers.0.self_attn.q_norm.weight", "model.layers.0.self_attn.k_norm.weight",
          "model.layers.0.post_attention_layernorm.weight", "model.layers.0.mlp.gate_proj.weight",
          "model.layers.0.mlp.up_proj.weight", "model.layers.0.mlp.down_proj.weight"));
}

TEST(GgufTensorsTest, Glm4HasSandwichNormsAndAFusedMlp) {
  EXPECT_THAT(Names("glm4", {"blk.0.post_attention_norm.weight", "blk.0.ffn_norm.weight",
                             "blk.0.post_ffw_norm.weight", "blk.0.ffn_up.weight"}),
              ElementsAre("model.layers.0.post_self_attn_layernorm.weight",
                          "model.layers.0.post_attention_layernorm.weight",
                          "model.layers.0.post_mlp_layernorm.weight",
                          "model.layers.0.mlp.gate_up_proj.weight"));
}

TEST(GgufTensorsTest, UnknownNamesStayAsTheyAre) {
  EXPECT_THAT(Names("llama", {"blk.0.odd.weight", "blk..attn_k.weight", "blk.x.attn_q.weight",
                              "blk.0.attn_q", "blk.0", "v.patch_embd.weight"}),
              ElementsAre("blk.0.odd.weight", "blk..attn_k.weight", "blk.x.attn_q.weight",
                          "blk.0.attn_q", "blk.0", "v.patch_embd.weight"));
}

TEST(GgufTensorsTest, RopeDivisorsAreNoWeights) {
  EXPECT_THAT(Names("llama", {"rope_freqs.weight", "output.weight"}),
              ElementsAre("lm_head.weight"));
}

TEST(GgufTensorsTest, OnlyLlamaFilesInterleaveRowsOfQAndK) {
  for (const std::string architecture : {"llama", "qwen2", "qwen3", "glm4", "chatglm"}) {
    GgufBuilder file = File(architecture);
    file.Tensor("blk.0.attn_q.weight", {16, 2}, GgufBuilder::kF32, Zeros(32));
    file.Tensor("blk.0.attn_q.bias", {16}, GgufBuilder::kF32, Zeros(16));
    file.Tensor("blk.0.attn_k.weight", {8, 2}, GgufBuilder::kF32, Zeros(16));
    file.Tensor("blk.0.attn_v.weight", {8, 2}, GgufBuilder::kF32, Zeros(16));
    const std::string bytes = file.Build();
    const auto tensors = Translate(bytes);
    ASSERT_THAT(tensors, IsOk());
    const int64_t rows = architecture == "llama" ? 4 : 0;
    const std::string at = "model.layers.0.self_attn.";
    EXPECT_EQ(tensors->at(at + "q_proj.weight").interleaved_rows, rows) << architecture;
    EXPECT_EQ(tensors->at(at + "q_proj.bias").interleaved_rows, rows);
    EXPECT_EQ(tensors->at(at + "k_proj.weight").interleaved_rows, rows);
    EXPECT_EQ(tensors->at(at + "v_proj.weight").interleaved_rows, 0);
  }
}

// 4 + 2 + 2 heads of 2 rows, each of one float.
TEST(GgufTensorsTest, FusedQkvIsTakenApart) {
  std::string rows;
  for (int i = 0; i < 16; ++i) rows += Raw(static_cast<float>(i));
  GgufBuilder file = File("chatglm");
  file.Tensor("blk.0.attn_qkv.weight", {16, 1}, GgufBuilder::kF32, rows);
  file.Tensor("blk.0.attn_qkv.bias", {16}, GgufBuilder::kF32, rows);
  const std::string bytes = file.Build();
  const auto tensors = Translate(bytes);
  ASSERT_THAT(tensors, IsOk());
  for (const std::string suffix : {"weight", "bias"}) {
    const StoredTensor& q = tensors->at("model.layers.0.self_attn.q_proj." + suffix);
    const StoredTensor& k = tensors->at("model.layers.0.self_attn.k_proj." + suffix);
    const StoredTensor& v = tensors->at("model.layers.0.self_attn.v_proj." + suffix);
    EXPECT_EQ(q.shape[0], 8);
    EXPECT_EQ(k.shape[0], 4);
    EXPECT_EQ(v.shape[0], 4);
    EXPECT_EQ(absl::StrCat(q.bytes, k.bytes, v.bytes), rows);
  }
}

TEST(GgufTensorsTest, FusedQkvOfLlamaKeepsItsRowsInterleaved) {
  GgufBuilder file = File("llama");
  file.Tensor("blk.0.attn_qkv.weight", {16, 1}, GgufBuilder::kF32, Zeros(16));
  const std::string bytes = file.Build();
  const auto tensors = Translate(bytes);
  ASSERT_THAT(tensors, IsOk());
  EXPECT_EQ(tensors->at("model.layers.0.self_attn.q_proj.weight").interleaved_rows, 2);
  EXPECT_EQ(tensors->at("model.layers.0.self_attn.k_proj.weight").interleaved_rows, 2);
  EXPECT_EQ(tensors->at("model.layers.0.self_attn.v_proj.weight").interleaved_rows, 0);
  GgufBuilder odd = File("llama");
  odd.Tensor("blk.0.attn_qkv.weight", {8, 1}, GgufBuilder::kF32, Zeros(8));
  EXPECT_THAT(Translate(odd.Build()), StatusIs(kInvalid, HasSubstr("1 rows are not even")));
}

TEST(GgufTensorsTest, C148_ShapesThatContradictTheHeadsAreRefused) {
  GgufBuilder q = File("llama");
  q.Tensor("blk.0.attn_q.weight", {12, 2}, GgufBuilder::kF32, Zeros(24));
  EXPECT_THAT(Translate(q.Build()),
              StatusIs(kInvalid, HasSubstr("12 rows are not an even number for each of 4 heads")));
  GgufBuilder qkv = File("chatglm");
  qkv.Tensor("blk.0.attn_qkv.weight", {12, 2}, GgufBuilder::kF32, Zeros(24));
  EXPECT_THAT(Translate(qkv.Build()),
              StatusIs(kInvalid, HasSubstr("12 rows are not divisible by 8 heads")));
}

TEST(GgufTensorsTest, C148_QuantisedVectorsThatNeedRowsAreRefused) {
  for (const std::string name : {"blk.0.attn_q.bias", "blk.0.attn_qkv.bias"}) {
    GgufBuilder file = File("llama");
    file.Tensor(name, {64}, GgufBuilder::kQ8_0, std::string(68, '\0'));
    EXPECT_THAT(Translate(file.Build()),
                StatusIs(kInvalid, HasSubstr("a vector of type Q8_0 is not supported here")));
  }
}

TEST(GgufTensorsTest, C148_NamesThatBecomeTheSameAreRefused) {
  GgufBuilder file = File("llama");
  file.Tensor("output.weight", {1}, GgufBuilder::kF32, Zeros(1));
  file.Tensor("lm_head.weight", {1}, GgufBuilder::kF32, Zeros(1));
  EXPECT_THAT(Translate(file.Build()), StatusIs(kInvalid, HasSubstr("'lm_head.weight': occurs")));
}

TEST(GgufTensorsTest, UnknownArchitecturesAndMissingHeadsAreRefused) {
  GgufBuilder other;
  other.Text("general.architecture", "mamba");
  EXPECT_THAT(Translate(other.Build()),
              StatusIs(absl::StatusCode::kUnimplemented,
                       "GGUF architecture 'mamba' is not supported; known are: llama, qwen2, "
                       "qwen3, glm4, chatglm"));
  GgufBuilder bare;
  bare.Text("general.architecture", "llama");
  EXPECT_THAT(Translate(bare.Build()),
              StatusIs(kInvalid, HasSubstr("'llama.attention.head_count' is missing")));
  EXPECT_THAT(Translate(GgufBuilder().Build()),
              StatusIs(kInvalid, HasSubstr("'general.architecture' is missing")));
}

}  // namespace
}  // namespace switchboard::model
