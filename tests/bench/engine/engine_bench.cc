// What the engine itself costs in a step of decodes: planning, batch arrays, sampling, events. The
// model costs nothing here but a copy of its logits.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/clock.h"
#include "worker/engine/observer.h"
#include "worker/engine/stepper.h"

namespace switchboard::engine {
namespace {

constexpr int kTinyVocab = 2560;
constexpr int kFullVocab = 151552;
constexpr int kContext = 1 << 22;

class NoCache final : public model::KvCache {
 public:
  int pages() const override { return kContext / model::kPageTokens * 4; }
  void CopyPage(int from, int to, int tokens) override {}
};

// Gives the same row of normally distributed logits for everything.
class FreeModel final : public model::Model {
 public:
  explicit FreeModel(int vocab) : row_(vocab) {
    shape_.vocab_size = vocab;
    shape_.max_positions = kContext;
    std::mt19937 random(1);
    std::normal_distribution<float> normal(0, 3);
    for (float& logit : row_) logit = normal(random);
  }

  const model::ModelShape& shape() const override { return shape_; }
  absl::StatusOr<std::unique_ptr<model::KvCache>> NewKvCache(int pages) override {
    return std::make_unique<NoCache>();
  }
  absl::StatusOr<model::PositionPlan> PlanPositions(
      int32_t tokens, absl::Span<const model::ImageRange> images) const override {
    return model::PositionPlan{std::vector<model::Position>(tokens), 0};
  }
  void Forward(absl::Span<const model::SequenceSlice> slices, model::KvCache* cache,
               float* logits) override {
    for (const model::SequenceSlice& slice : slices) {
      for (int i = 0; i < slice.logit_rows; ++i) {
        logits = std::copy(row_.begin(), row_.end(), logits);
      }
    }
  }
  std::unique_ptr<model::ImageEncoding> EncodeImage(std::vector<float> patches, int grid_h,
                                                    int grid_w) override {
    CHECK(shape_.has_vision);
    return nullptr;
  }

 private:
  model::ModelShape shape_;
  std::vector<float> row_;
};

class CountingSink final : public EventSink {
 public:
  void OnEvent(Event event) override { benchmark::DoNotOptimize(++events_); }
  bool ReadyForMore() const override { return true; }

 private:
  int events_ = 0;
};

SamplingParams Greedy() {
  SamplingParams sampling;
  sampling.temperature = 0.0f;
  return sampling;
}

SamplingParams PhoneClient() {
  SamplingParams sampling = Greedy();
  sampling.top_p = 0.85f;
  sampling.frequency_penalty = 0.2f;
  return sampling;
}

SamplingParams Plain() { return SamplingParams(); }

SamplingParams Truncated() {
  SamplingParams sampling;
  sampling.temperature = 0.8f;
  sampling.top_k = 50;
  sampling.top_p = 0.9f;
  return sampling;
}

SamplingParams Nucleus() {
  SamplingParams sampling;
  sampling.top_p = 0.9f;
  return sampling;
}

SamplingParams WithLogprobs() {
  SamplingParams sampling;
  sampling.logprobs = true;
  sampling.top_logprobs = 5;
  return sampling;
}

// state.range(0): running sequences, state.range(1): vocabulary.
void Step(benchmark::State& state, SamplingParams (*params)()) {
  const int running = static_cast<int>(state.range(0));
  const int vocab = static_cast<int>(state.range(1));
  FreeModel model(vocab);
  EngineObserver nobody;
  EngineOptions options{.max_running = running,
                        .max_waiting = running,
                        .max_batched_tokens = 4096,
                        .kv_pages = 0,
                        .max_model_len = kContext,
                        .usable_vocab = vocab,
                        .eos_token_ids = {}};
  Stepper stepper(&model, std::make_unique<NoCache>(), options, SystemClock(), &nobody);
  for (int i = 0; i < running; ++i) {
    Request request;
    request.prompt_ids.assign(100, 5);
    request.sampling = params();
    request.sampling.max_tokens = kContext;
    request.sampling.seed = static_cast<uint64_t>(i);
    stepper.Add(static_cast<uint64_t>(i), std::move(request), std::make_shared<CountingSink>(),
                absl::ZeroDuration());
  }
  const auto turn = [&stepper] {
    CHECK(stepper.Plan());
    stepper.Compute();
    stepper.Emit();
  };
  turn();
  for (auto _ : state) turn();
  state.SetItemsProcessed(state.iterations() * running);
}

void Sizes(benchmark::internal::Benchmark* bench) {
  bench->Unit(benchmark::kMicrosecond)
      ->Args({1, kTinyVocab})
      ->Args({32, kTinyVocab})
      ->Args({1, kFullVocab})
      ->Args({32, kFullVocab});
}

BENCHMARK_CAPTURE(Step, greedy, Greedy)->Apply(Sizes);
BENCHMARK_CAPTURE(Step, phone_client, PhoneClient)->Apply(Sizes);
BENCHMARK_CAPTURE(Step, plain, Plain)->Apply(Sizes);
BENCHMARK_CAPTURE(Step, nucleus, Nucleus)->Apply(Sizes);
BENCHMARK_CAPTURE(Step, truncated, Truncated)->Apply(Sizes);
BENCHMARK_CAPTURE(Step, logprobs, WithLogprobs)->Apply(Sizes);

}  // namespace
}  // namespace switchboard::engine
