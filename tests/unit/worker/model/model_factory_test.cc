#include "worker/model/model_factory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/status_matchers.h"
#include "tests/unit/worker/model/tiny_checkpoint.h"

namespace switchboard::model {
namespace {

using testing::HasSubstr;

constexpr char kDemo[] = SWITCHBOARD_MODELS "/autoglm-phone-tiny";

TEST(ModelFactoryTest, LoadsTheDemonstrationModelAndReportsProgress) {
  double last = 0;
  int64_t bytes = 0;
  const auto loaded = LoadModel(kDemo, {}, [&](double fraction, int64_t done) {
    EXPECT_GE(fraction, last);
    last = fraction;
    bytes = done;
  });
  ASSERT_THAT(loaded, IsOk());
  EXPECT_EQ(last, 1.0);
  EXPECT_EQ(bytes, 2 * 3'708'032);
  EXPECT_EQ(loaded->report, "89 tensors, 3708032 parameters, each filled exactly once");
  EXPECT_EQ(loaded->model->shape().vocab_size, 2560);
  EXPECT_EQ(loaded->plan.max_model_len, 8192);
  EXPECT_EQ(loaded->plan.kv_page_bytes, loaded->model->shape().kv_page_bytes);
  EXPECT_EQ(loaded->fingerprint.size(), 32u);
  EXPECT_EQ(loaded->numerics, "cpu float 2 auto");
}

TEST(ModelFactoryTest, PlanNeedsNoLoading) {
  LoadOptions options;
  options.max_model_len = 1024;
  options.max_sequences = 2;
  const auto plan = PlanModelMemory(kDemo, options);
  ASSERT_THAT(plan, IsOk());
  EXPECT_EQ(plan->kv_pages, 32);
  EXPECT_EQ(plan->vocab_size, 2560);
  // Matrices of 16-bit weights; norms, biases and positions as floats.
  EXPECT_GE(plan->weights, 2 * 3'708'032);
  EXPECT_LE(plan->weights, 3 * 3'708'032);
}

TEST(ModelFactoryTest, WhatDoesNotFitIsRefusedBeforeLoading) {
  LoadOptions options;
  options.memory_budget = 1 << 20;
  EXPECT_THAT(PlanModelMemory(kDemo, options),
              StatusIs(absl::StatusCode::kResourceExhausted, HasSubstr("do not fit")));
  options.memory_budget = 0;
  options.max_model_len = 10000;
  EXPECT_THAT(LoadModel(kDemo, options, [](double, int64_t) { FAIL(); }),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("--max-model-len 10000")));
}

TEST(ModelFactoryTest, UnknownArchitectureListsTheKnownOnes) {
  TinyModel tiny("vision/models/a_fp32");
  tiny.config["architectures"] = *ParseJson(R"(["MambaForCausalLM"])");
  EXPECT_THAT(
      LoadModel(tiny.Write(), {}, [](double, int64_t) {}),
      StatusIs(absl::StatusCode::kUnimplemented,
               HasSubstr("architecture MambaForCausalLM is not supported; known are: "
                         "Glm4vForConditionalGeneration, LlamaForCausalLM, MistralForCausalLM, "
                         "Qwen2ForCausalLM, Qwen3ForCausalLM, GlmForCausalLM, "
                         "Glm4ForCausalLM")));
}

TEST(ModelFactoryTest, FingerprintDiffersWithWhatTheConfigSaysAboutTheArithmetic) {
  TinyModel tiny("vision/models/a_fp32");
  const auto plain = LoadModel(tiny.Write(), {}, nullptr);
  ASSERT_THAT(plain, IsOk());
  EXPECT_EQ(LoadModel(tiny.Write(), {}, nullptr)->fingerprint, plain->fingerprint);
  tiny.config["text_config"].as_object()["rms_norm_eps"] = 0.5;
  const auto changed = LoadModel(tiny.Write(), {}, nullptr);
  ASSERT_THAT(changed, IsOk());
  EXPECT_NE(changed->fingerprint, plain->fingerprint);
}

TEST(ModelFactoryTest, FolderThatIsNotThereIsNotFound) {
  EXPECT_THAT(LoadModel("/nowhere/at/all", {}, [](double, int64_t) {}),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("/nowhere/at/all/config.json")));
}

TEST(ModelFactoryTest, BrokenConfigIsNamed) {
  TinyModel tiny("vision/models/a_fp32");
  const std::string dir = tiny.Write();
  WriteFile(tiny.dir() / "config.json", "{\"architectures\": ");
  EXPECT_THAT(LoadModel(dir, {}, [](double, int64_t) {}),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("config.json")));
}

}  // namespace
}  // namespace switchboard::model
