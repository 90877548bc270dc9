// The whole model: against the double reference, and bit equality under every way to schedule.
#include "worker/model/glm4v_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "tests/support/status_matchers.h"
#include "worker/backend/cpu/cpu_backend.h"
#include "worker/backend/cpu/reference/reference_backend.h"
#include "worker/model/model_factory.h"

namespace switchboard::model {
namespace {

constexpr char kModel[] = SWITCHBOARD_TEST_DATA "/golden/vision/models/b_bf16";

std::unique_ptr<Glm4vModel> Load(std::unique_ptr<backend::Backend> backend) {
  return *LoadGlm4v(kModel, "auto", std::move(backend));
}
std::unique_ptr<Glm4vModel> LoadFast(int threads = 1, backend::Isa isa = backend::DetectIsa()) {
  return Load(backend::NewCpuBackend(threads, isa));
}

std::vector<int32_t> SomeIds(int count, int seed) {
  std::vector<int32_t> ids;
  for (int i = 0; i < count; ++i) ids.push_back((i * 37 + seed * 101) % 250);
  return ids;
}

std::vector<float> SomePatches(const Glm4vConfig& config, int patches) {
  std::vector<float> values;
  for (int i = 0; i < patches * config.vision.patch_width; ++i) {
    values.push_back(static_cast<float>(i * 7919 % 1000) / 250.0f - 2.0f);
  }
  return values;
}

// A sequence with all that a slice of it needs.
struct Sequence {
  std::vector<int32_t> ids, pages;
  std::vector<Position> positions;
  std::vector<float> embeddings;  // of its one image
  ImageRange image;

  SequenceSlice Slice(int first, int count, std::vector<ImageRows>* images, int64_t hidden) const {
    SequenceSlice slice = {.token_ids = absl::MakeSpan(ids).subspan(first, count),
                           .positions = absl::MakeSpan(positions).subspan(first, count),
                           .first = first,
                           .pages = pages,
                           .images = {},
                           .logit_rows = count};
    const int tokens = image.grid_h * image.grid_w / 4;
    const int begin = std::max(first, image.offset);
    const int end = std::min(first + count, image.offset + tokens);
    if (begin < end) {
      images->push_back(
          {begin - first, end - begin, embeddings.data() + (begin - image.offset) * hidden});
      slice.images = absl::MakeSpan(*images).last(1);
    }
    return slice;
  }
};

Sequence NewSequence(Glm4vModel* model, int tokens, int seed, int32_t first_page) {
  Sequence sequence;
  sequence.ids = SomeIds(tokens, seed);
  sequence.image = {10, 4, 6};
  sequence.positions = model->PlanPositions(tokens, {sequence.image})->prompt;
  for (int i = 0; i * kPageTokens < tokens; ++i) sequence.pages.push_back(first_page + i);
  sequence.embeddings.assign(static_cast<size_t>(6 * model->shape().hidden_size), 0.25f);
  for (size_t i = 0; i < sequence.embeddings.size(); i += 3) sequence.embeddings[i] = -0.5f;
  return sequence;
}

// Logits of every token, computed `step` tokens at a time.
std::vector<float> RunInSteps(Glm4vModel* model, const Sequence& sequence, int step,
                              KvCache* cache) {
  const int total = static_cast<int>(sequence.ids.size());
  std::vector<float> logits;
  for (int first = 0; first < total; first += step) {
    const int count = std::min(step, total - first);
    std::vector<ImageRows> images;
    std::vector<float> part(static_cast<size_t>(count * model->shape().vocab_size));
    model->Forward({sequence.Slice(first, count, &images, model->shape().hidden_size)}, cache,
                   part.data());
    logits.insert(logits.end(), part.begin(), part.end());
  }
  return logits;
}

bool SameBits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

TEST(Glm4vModelTest, AgreesWithTheDoubleReference) {
  const auto fast = LoadFast(), exact = Load(backend::NewReferenceBackend());
  const Sequence sequence = NewSequence(fast.get(), 150, 1, 0);
  const auto fast_cache = *fast->NewKvCache(3), exact_cache = *exact->NewKvCache(3);
  const std::vector<float> want = RunInSteps(exact.get(), sequence, 150, exact_cache.get());
  const std::vector<float> got = RunInSteps(fast.get(), sequence, 150, fast_cache.get());
  for (size_t i = 0; i < want.size(); ++i) ASSERT_NEAR(want[i], got[i], 3e-4) << i;
}

TEST(Glm4vModelTest, ChunksThreadsAndInstructionSetsGiveTheSameBits) {
  const auto model = LoadFast();
  const Sequence sequence = NewSequence(model.get(), 300, 1, 0);
  const auto cache = *model->NewKvCache(5);
  const std::vector<float> want = RunInSteps(model.get(), sequence, 300, cache.get());
  for (const int step : {1, 13, 64, 200}) {
    EXPECT_TRUE(SameBits(want, RunInSteps(model.get(), sequence, step, cache.get()))) << step;
  }
  const auto shared = LoadFast(3), scalar = LoadFast(1, backend::Isa::kScalar);
  const auto shared_cache = *shared->NewKvCache(5), scalar_cache = *scalar->NewKvCache(5);
  EXPECT_TRUE(SameBits(want, RunInSteps(shared.get(), sequence, 50, shared_cache.get())));
  EXPECT_TRUE(SameBits(want, RunInSteps(scalar.get(), sequence, 300, scalar_cache.get())));
}

TEST(Glm4vModelTest, ASequenceInABatchGivesTheBitsItGivesAlone) {
  const auto model = LoadFast(2);
  const auto cache = *model->NewKvCache(8);
  const int64_t vocab = model->shape().vocab_size;
  const Sequence a = NewSequence(model.get(), 70, 1, 0), b = NewSequence(model.get(), 129, 2, 2);
  const Sequence c = NewSequence(model.get(), 17, 3, 5);
  std::vector<float> want;
  for (const Sequence* s : {&a, &b, &c}) {
    const std::vector<float> alone = RunInSteps(model.get(), *s, 1000, cache.get());
    want.insert(want.end(), alone.begin(), alone.end());
  }
  std::vector<ImageRows> images;
  images.reserve(3);
  const int64_t hidden = model->shape().hidden_size;
  const std::vector<SequenceSlice> slices = {a.Slice(0, 70, &images, hidden),
                                             b.Slice(0, 129, &images, hidden),
                                             c.Slice(0, 17, &images, hidden)};
  std::vector<float> got(static_cast<size_t>((70 + 129 + 17) * vocab));
  model->Forward(slices, cache.get(), got.data());
  EXPECT_TRUE(SameBits(want, got));
}

TEST(Glm4vModelTest, C152_ANanEmbeddingSpoilsNoOtherSequence) {
  const auto model = LoadFast();
  const auto cache = *model->NewKvCache(4);
  const int64_t vocab = model->shape().vocab_size, hidden = model->shape().hidden_size;
  const Sequence good = NewSequence(model.get(), 40, 1, 0);
  Sequence bad = NewSequence(model.get(), 40, 2, 1);
  bad.embeddings[5] = std::nanf("");
  const std::vector<float> want = RunInSteps(model.get(), good, 1000, cache.get());
  std::vector<ImageRows> images;
  images.reserve(2);
  std::vector<float> got(static_cast<size_t>(80 * vocab));
  model->Forward({bad.Slice(0, 40, &images, hidden), good.Slice(0, 40, &images, hidden)},
                 cache.get(), got.data());
  EXPECT_TRUE(std::isnan(got[static_cast<size_t>(39 * vocab)]));
  EXPECT_FALSE(std::isnan(got[0]));  // before the image
  EXPECT_TRUE(SameBits(want, {got.begin() + 40 * vocab, got.end()}));
  // The pages of the failed sequence serve the next one.
  Sequence next = NewSequence(model.get(), 40, 1, 1);
  EXPECT_TRUE(SameBits(want, RunInSteps(model.get(), next, 11, cache.get())));
}

TEST(Glm4vModelTest, ImageEncodingIsTheSameForAnyThreads) {
  const Glm4vConfig config = *ParseGlm4vConfig(*ReadConfig(kModel));
  std::vector<std::vector<float>> results;
  for (const int threads : {1, 3}) {
    const auto model = LoadFast(threads);
    const auto encoding = model->EncodeImage(SomePatches(config, 14 * 10), 14, 10);
    int steps = 1;
    while (!encoding->Step()) ++steps;
    EXPECT_EQ(steps, config.vision.depth + 6);
    results.emplace_back(encoding->Embeddings().begin(), encoding->Embeddings().end());
  }
  EXPECT_EQ(results[0].size(), static_cast<size_t>(35 * config.text.hidden_size));
  EXPECT_TRUE(SameBits(results[0], results[1]));
}

TEST(Glm4vModelTest, ShapeSaysWhatTheEnginePlansWith) {
  const ModelShape shape = LoadFast()->shape();
  EXPECT_EQ(shape.vocab_size, 304);
  EXPECT_EQ(shape.hidden_size, 96);
  EXPECT_EQ(shape.max_positions, 4096);
  EXPECT_TRUE(shape.has_vision);
  // 3 layers, 2 KV heads, 64 tokens: keys of 24 floats, values in panels of 16.
  EXPECT_EQ(shape.kv_page_bytes, 3 * 2 * 64 * (24 + 32) * 4);
}

}  // namespace
}  // namespace switchboard::model
