// Every text family on its small checkpoint: against the double reference, and bit equality under
// every way to schedule.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <numeric>

#include "tests/support/status_matchers.h"
#include "tests/unit/worker/model/tiny_checkpoint.h"
#include "worker/backend/cpu/cpu_backend.h"
#include "worker/backend/cpu/reference/reference_backend.h"
#include "worker/model/model_factory.h"

namespace switchboard::model {
namespace {

using testing::HasSubstr;

class TextModelTest : public testing::TestWithParam<const char*> {
 protected:
  static std::unique_ptr<DecoderModel> Load(std::unique_ptr<backend::Backend> backend) {
    return *LoadOnBackend(absl::StrCat(SWITCHBOARD_TEST_DATA "/golden/text/models/", GetParam()),
                          "auto", std::move(backend));
  }
  static std::unique_ptr<DecoderModel> LoadFast(int threads = 1,
                                                backend::Isa isa = backend::DetectIsa()) {
    return Load(backend::NewCpuBackend(threads, isa));
  }
};

// A sequence with all that a slice of it needs.
struct Sequence {
  std::vector<int32_t> ids, pages;
  std::vector<Position> positions;

  Sequence(int tokens, int seed, int32_t first_page) : pages(PagesFor(tokens)) {
    std::iota(pages.begin(), pages.end(), first_page);
    for (int32_t i = 0; i < tokens; ++i) {
      ids.push_back((i * 37 + seed * 101) % 500);
      positions.push_back({i, i, i});
    }
  }
  SequenceSlice Slice(int first, int count) const {
    return {.token_ids = absl::MakeSpan(ids).subspan(first, count),
            .positions = absl::MakeSpan(positions).subspan(first, count),
            .first = first,
            .pages = pages,
            .images = {},
            .logit_rows = count};
  }
};

// Logits of every token, computed `step` tokens at a time.
std::vector<float> RunInSteps(Model* model, const Sequence& sequence, int step) {
  const auto cache = *model->NewKvCache(8);
  const int total = static_cast<int>(sequence.ids.size());
  std::vector<float> logits;
  for (int first = 0; first < total; first += step) {
    const int count = std::min(step, total - first);
    std::vector<float> part(static_cast<size_t>(count * model->shape().vocab_size));
    model->Forward({sequence.Slice(first, count)}, cache.get(), part.data());
    logits.insert(logits.end(), part.begin(), part.end());
  }
  return logits;
}

bool SameBits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

TEST_P(TextModelTest, AgreesWithTheDoubleReference) {
  const Sequence sequence(150, 1, 0);
  const std::vector<float> want =
      RunInSteps(Load(backend::NewReferenceBackend()).get(), sequence, 150);
  const std::vector<float> got = RunInSteps(LoadFast().get(), sequence, 150);
  for (size_t i = 0; i < want.size(); ++i) ASSERT_NEAR(want[i], got[i], 3e-4) << i;
}

TEST_P(TextModelTest, ChunksThreadsAndInstructionSetsGiveTheSameBits) {
  const Sequence sequence(300, 1, 0);
  const auto model = LoadFast();
  const std::vector<float> want = RunInSteps(model.get(), sequence, 300);
  for (const int step : {1, 13, 64}) {
    EXPECT_TRUE(SameBits(want, RunInSteps(model.get(), sequence, step))) << step;
  }
  EXPECT_TRUE(SameBits(want, RunInSteps(LoadFast(3).get(), sequence, 50)));
  EXPECT_TRUE(SameBits(want, RunInSteps(LoadFast(1, backend::Isa::kScalar).get(), sequence, 300)));
}

TEST_P(TextModelTest, ASequenceInABatchGivesTheBitsItGivesAlone) {
  const auto model = LoadFast(2);
  const Sequence a(70, 1, 0), b(129, 2, 2);
  std::vector<float> want = RunInSteps(model.get(), a, 1000);
  const std::vector<float> second = RunInSteps(model.get(), b, 1000);
  want.insert(want.end(), second.begin(), second.end());
  std::vector<float> got(want.size());
  const auto cache = *model->NewKvCache(8);
  model->Forward({a.Slice(0, 70), b.Slice(0, 129)}, cache.get(), got.data());
  EXPECT_TRUE(SameBits(want, got));
}

INSTANTIATE_TEST_SUITE_P(Families, TextModelTest,
                         testing::Values("glm", "glm4", "llama_rope3", "llama_tied", "mistral",
                                         "qwen2_window", "qwen3"));

TEST(TextModelTest, ImagesAreRefused) {
  const auto model = *LoadOnBackend(SWITCHBOARD_TEST_DATA "/golden/text/models/mistral", "auto",
                                    backend::NewCpuBackend(1, backend::DetectIsa()));
  EXPECT_FALSE(model->shape().has_vision);
  EXPECT_THAT(model->PlanPositions(10, {ImageRange{0, 2, 2}}),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("does not take images")));
  EXPECT_EQ(model->PlanPositions(3, {})->prompt[2], (Position{2, 2, 2}));
}

TEST(TextModelTest, BiasThatTheConfigAnnouncesMustBeThere) {
  TinyModel tiny("text/models/llama_tied");
  tiny.tensors.erase("model.layers.1.self_attn.o_proj.bias");
  EXPECT_THAT(LoadModel(tiny.Write(), {}, nullptr),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("missing: language_model.layers.1.self_attn.o_proj.bias")));
}

TEST(TextModelTest, BiasThatTheConfigDoesNotAnnounceIsUnexpected) {
  TinyModel tiny("text/models/llama_tied");
  tiny.config["attention_bias"] = false;
  EXPECT_THAT(LoadModel(tiny.Write(), {}, nullptr),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("unexpected: model.layers.0.self_attn.k_proj.bias")));
}

}  // namespace
}  // namespace switchboard::model
