// Names, shapes and tied output layers, on changed copies of a small checkpoint.
#include "worker/model/weights.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/status_matchers.h"
#include "tests/unit/worker/model/tiny_checkpoint.h"
#include "worker/model/model_factory.h"

namespace switchboard::model {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr absl::StatusCode kInvalid = absl::StatusCode::kInvalidArgument;
constexpr char kHead[] = "lm_head.weight";
constexpr char kEmbedding[] = "model.language_model.embed_tokens.weight";

absl::StatusOr<LoadedModel> Load(const TinyModel& tiny, const std::string& dtype = "auto") {
  LoadOptions options;
  options.threads = 1;
  options.dtype = dtype;
  options.max_sequences = 1;
  options.max_model_len = 128;
  return LoadModel(tiny.Write(), options, [](double, int64_t) {});
}

// Logits of a fixed prompt.
std::vector<float> LogitsOf(Model* model) {
  const std::vector<int32_t> ids = {5, 17, 99, 3}, pages = {0};
  const PositionPlan plan = *model->PlanPositions(4, {});
  const auto cache = *model->NewKvCache(1);
  std::vector<float> logits(static_cast<size_t>(model->shape().vocab_size));
  model->Forward({{.token_ids = ids,
                   .positions = plan.prompt,
                   .first = 0,
                   .pages = pages,
                   .images = {},
                   .logit_rows = 1}},
                 cache.get(), logits.data());
  return logits;
}

TEST(WeightsTest, CanonicalNamesOfEveryLayoutInCirculation) {
  const std::pair<const char*, const char*> names[] = {
      {"model.language_model.layers.0.mlp.down_proj.weight",
       "language_model.layers.0.mlp.down_proj.weight"},
      {"model.layers.0.input_layernorm.weight", "language_model.layers.0.input_layernorm.weight"},
      {"model.embed_tokens.weight", "language_model.embed_tokens.weight"},
      {"model.norm.weight", "language_model.norm.weight"},
      {"language_model.model.layers.3.mlp.down_proj.weight",
       "language_model.layers.3.mlp.down_proj.weight"},
      {"language_model.lm_head.weight", "lm_head.weight"},
      {"lm_head.weight", "lm_head.weight"},
      {"model.visual.blocks.0.norm1.weight", "visual.blocks.0.norm1.weight"},
      {"visual.merger.proj.weight", "visual.merger.proj.weight"},
      {"vision_tower.merger.proj.weight", "visual.merger.proj.weight"},
      {"model.layers.0.self_attn.rotary_emb.inv_freq", ""},
      {"visual.embeddings.position_ids", ""},
  };
  for (const auto& [given, canonical] : names) EXPECT_EQ(CanonicalName(given), canonical);
}

TEST(WeightsTest, RenamedCheckpointGivesTheSameLogits) {
  TinyModel tiny("vision/models/a_fp32");
  const std::vector<float> want = LogitsOf(Load(tiny)->model.get());
  std::map<std::string, TinyTensor> renamed;
  for (const auto& [name, tensor] : tiny.tensors) {
    std::string other = CanonicalName(name);
    if (other.rfind("language_model.", 0) == 0) other.insert(15, "model.");
    if (other.rfind("visual.", 0) == 0) other.replace(0, 6, "vision_tower");
    renamed[other] = tensor;
  }
  renamed["language_model.model.layers.0.self_attn.rotary_emb.inv_freq"] = {"F32", {1}, "0000"};
  tiny.tensors = renamed;
  EXPECT_EQ(LogitsOf(Load(tiny)->model.get()), want);
}

TEST(WeightsTest, SeparateGateAndUpAreStacked) {
  TinyModel tiny("vision/models/a_fp32");
  const std::vector<float> want = LogitsOf(Load(tiny)->model.get());
  for (int layer = 0; layer < 2; ++layer) {
    const std::string at = absl::StrCat("model.language_model.layers.", layer, ".mlp.");
    const TinyTensor fused = tiny.tensors[at + "gate_up_proj.weight"];
    const size_t half = fused.bytes.size() / 2;
    const std::vector<int64_t> shape = {fused.shape[0] / 2, fused.shape[1]};
    tiny.tensors[at + "gate_proj.weight"] = {fused.dtype, shape, fused.bytes.substr(0, half)};
    tiny.tensors[at + "up_proj.weight"] = {fused.dtype, shape, fused.bytes.substr(half)};
    tiny.tensors.erase(at + "gate_up_proj.weight");
  }
  EXPECT_EQ(LogitsOf(Load(tiny)->model.get()), want);
}

TEST(WeightsTest, MissingUnexpectedAndWrongTensorsAreListed) {
  TinyModel tiny("vision/models/a_fp32");
  tiny.tensors.erase("model.language_model.norm.weight");
  tiny.tensors.erase("model.visual.downsample.bias");
  tiny.tensors["model.visual.surprise"] = {"F32", {1}, "0000"};
  tiny.tensors["model.visual.merger.proj.weight"].shape = {32, 128};
  const auto loaded = Load(tiny);
  EXPECT_THAT(loaded, StatusIs(kInvalid, HasSubstr("missing: language_model.norm.weight, "
                                                   "visual.downsample.bias")));
  EXPECT_THAT(loaded, StatusIs(kInvalid, HasSubstr("unexpected: model.visual.surprise")));
  EXPECT_THAT(loaded, StatusIs(kInvalid, HasSubstr("visual.merger.proj.weight [32, 128] instead "
                                                   "of [64, 64]")));
  EXPECT_THAT(loaded, StatusIs(kInvalid, HasSubstr(tiny.dir().string())));
}

TEST(WeightsTest, LongListsAreCut) {
  TinyModel tiny("vision/models/a_fp32");
  for (int i = 0; i < 25; ++i) {
    tiny.tensors[absl::StrCat("extra.", 10 + i)] = {"F32", {1}, "0000"};
  }
  EXPECT_THAT(Load(tiny), StatusIs(kInvalid, HasSubstr("extra.19 and 15 more")));
}

TEST(WeightsTest, TheSameWeightUnderTwoNamesIsRefused) {
  TinyModel tiny("vision/models/a_fp32");
  tiny.tensors["model.norm.weight"] = tiny.tensors["model.language_model.norm.weight"];
  EXPECT_THAT(Load(tiny), StatusIs(kInvalid, HasSubstr("present under two names: model.norm")));
}

TEST(WeightsTest, IntegerWeightsAreRefused) {
  TinyModel tiny("vision/models/a_fp32");
  tiny.tensors["model.visual.downsample.bias"].dtype = "I32";
  EXPECT_THAT(Load(tiny), StatusIs(kInvalid, HasSubstr("weights of type I32")));
}

TEST(WeightsTest, C151_TiedWithoutHeadUsesTheEmbedding) {
  TinyModel tiny("vision/models/a_fp32");
  tiny.tensors[kHead] = tiny.tensors[kEmbedding];
  const std::vector<float> want = LogitsOf(Load(tiny)->model.get());
  tiny.tensors.erase(kHead);
  tiny.config["tie_word_embeddings"] = true;
  const auto tied = Load(tiny);
  ASSERT_THAT(tied, IsOk());
  EXPECT_EQ(LogitsOf(tied->model.get()), want);
  EXPECT_EQ(tied->warning, "");
}

TEST(WeightsTest, C151_TiedWithAnEqualHeadUsesTheEmbedding) {
  TinyModel tiny("vision/models/a_fp32");
  tiny.tensors[kHead] = tiny.tensors[kEmbedding];
  const std::vector<float> want = LogitsOf(Load(tiny)->model.get());
  tiny.config["tie_word_embeddings"] = true;
  const auto tied = Load(tiny);
  ASSERT_THAT(tied, IsOk());
  EXPECT_EQ(LogitsOf(tied->model.get()), want);
  EXPECT_EQ(tied->warning, "");
  EXPECT_THAT(tied->report, HasSubstr("56 tensors"));
}

TEST(WeightsTest, C151_TiedWithAnotherHeadUsesTheHeadAndWarns) {
  TinyModel tiny("vision/models/a_fp32");
  const std::vector<float> want = LogitsOf(Load(tiny)->model.get());
  tiny.config["tie_word_embeddings"] = true;
  const auto tied = Load(tiny);
  ASSERT_THAT(tied, IsOk());
  EXPECT_EQ(LogitsOf(tied->model.get()), want);
  EXPECT_THAT(tied->warning, HasSubstr("lm_head.weight differs"));
}

TEST(WeightsTest, C151_UntiedWithoutHeadIsAnError) {
  TinyModel tiny("vision/models/a_fp32");
  tiny.tensors.erase(kHead);
  EXPECT_THAT(Load(tiny), StatusIs(kInvalid, HasSubstr("missing: lm_head.weight")));
}

TEST(WeightsTest, C151_TiedOnlyInTheTextConfigCounts) {
  TinyModel tiny("vision/models/a_fp32");
  tiny.tensors.erase(kHead);
  tiny.config.erase("tie_word_embeddings");
  tiny.text()["tie_word_embeddings"] = true;
  EXPECT_THAT(Load(tiny), IsOk());
}

TEST(WeightsTest, C151_ReportProvesThatEveryParameterWasFilledOnce) {
  TinyModel tiny("vision/models/a_fp32");
  int64_t parameters = 0;
  for (const auto& [name, tensor] : tiny.tensors) {
    parameters += static_cast<int64_t>(tensor.bytes.size()) / 4;
  }
  EXPECT_EQ(Load(tiny)->report,
            absl::StrCat("56 tensors, ", parameters, " parameters, each filled exactly once"));
}

TEST(WeightsTest, C152_Float16IsRefusedForOtherCheckpoints) {
  TinyModel tiny("vision/models/a_bf16");
  EXPECT_THAT(Load(tiny, "float16"),
              StatusIs(kInvalid, HasSubstr("stored as BF16 and would overflow")));
  EXPECT_THAT(Load(tiny, "int3"), StatusIs(kInvalid, HasSubstr("--dtype is 'int3'")));
}

TEST(WeightsTest, WideningBf16ChangesNoLogit) {
  TinyModel tiny("vision/models/a_bf16");
  EXPECT_EQ(LogitsOf(Load(tiny, "auto")->model.get()),
            LogitsOf(Load(tiny, "float32")->model.get()));
}

// C152: a weight so large that a product passes 65504 stays finite in bf16 and float32.
TEST(WeightsTest, C152_LargeActivationsStayFinite) {
  TinyModel tiny("vision/models/a_bf16");
  TinyTensor& down = tiny.tensors["model.language_model.layers.0.mlp.down_proj.weight"];
  const std::string huge = {'\x00', '\x48'};  // bf16 131072
  for (size_t i = 0; i < down.bytes.size() / 2; i += 2) down.bytes.replace(i, 2, huge);
  for (const char* dtype : {"auto", "bfloat16", "float32"}) {
    for (const float logit : LogitsOf(Load(tiny, dtype)->model.get())) {
      ASSERT_TRUE(std::isfinite(logit)) << dtype;
    }
  }
}

}  // namespace
}  // namespace switchboard::model
