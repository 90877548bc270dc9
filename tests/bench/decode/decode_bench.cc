// Single-stream decoding against the speed at which the memory can be read, in one run: each token
// needs every weight once, so the quotient of the two says how good the small-batch kernels are.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <numeric>
#include <string>
#include <vector>

#include "absl/flags/flag.h"
#include "base/check.h"
#include "base/command_line.h"
#include "tests/bench/decode/bandwidth.h"
#include "tests/bench/decode/random_decoder.h"
#include "worker/backend/cpu/cpu_backend.h"
#include "worker/backend/cpu/team.h"
#include "worker/model/model_factory.h"

ABSL_FLAG(std::string, model, "", "checkpoint to decode with; empty: SmolLM2's shape, random");
ABSL_FLAG(std::string, dtype, "float32", "of the weights of --model");
ABSL_FLAG(int, threads, 0, "0: every processor");
ABSL_FLAG(int, batch, 1, "sequences decoded side by side");
ABSL_FLAG(int, context, 32, "tokens before the first decoded one");
ABSL_FLAG(int, tokens, 32, "decoded per round");
ABSL_FLAG(int, rounds, 5, "the best one counts");

namespace switchboard::bench {
namespace {

struct Subject {
  std::unique_ptr<model::Model> model;
  int64_t weight_bytes = 0;
};

Subject NewSubject(int threads) {
  const std::string path = absl::GetFlag(FLAGS_model);
  if (path.empty()) {
    RandomDecoder decoder = NewRandomDecoder(backend::NewCpuBackend(threads, backend::DetectIsa()));
    return {std::move(decoder.model), decoder.weight_bytes};
  }
  model::LoadOptions options;
  options.threads = threads;
  options.dtype = absl::GetFlag(FLAGS_dtype);
  options.max_sequences = 1;
  auto loaded = model::LoadModel(path, options, nullptr);
  if (!loaded.ok()) {
    std::fprintf(stderr, "%s\n", std::string(loaded.status().message()).c_str());
    std::exit(1);
  }
  return {std::move(loaded->model), loaded->plan.weights};
}

// `batch` sequences of the same length in one cache.
class Streams {
 public:
  Streams(model::Model* model, int batch, int tokens) : model_(model) {
    const int pages = model::PagesFor(tokens);
    auto cache = model->NewKvCache(batch * pages);
    CHECK(cache.ok());
    cache_ = *std::move(cache);
    for (int i = 0; i < batch; ++i) {
      pages_.emplace_back(static_cast<size_t>(pages));
      std::iota(pages_.back().begin(), pages_.back().end(), i * pages);
    }
    logits_.resize(static_cast<size_t>(batch) * static_cast<size_t>(model->shape().vocab_size));
  }

  // Computes tokens [first, first + count) of every sequence; logits of the last.
  void Forward(int first, int count) {
    std::vector<int32_t> ids(static_cast<size_t>(count));
    std::vector<model::Position> positions;
    for (int i = 0; i < count; ++i) {
      const int32_t at = first + i;
      ids[static_cast<size_t>(i)] = at * 37 % model_->shape().vocab_size;
      positions.push_back({at, at, at});
    }
    std::vector<model::SequenceSlice> slices;
    for (const std::vector<int32_t>& pages : pages_) {
      slices.push_back({.token_ids = ids,
                        .positions = positions,
                        .first = first,
                        .pages = pages,
                        .images = {},
                        .logit_rows = 1});
    }
    model_->Forward(slices, cache_.get(), logits_.data());
  }

 private:
  model::Model* const model_;
  std::unique_ptr<model::KvCache> cache_;
  std::vector<std::vector<int32_t>> pages_;
  std::vector<float> logits_;
};

// Decoding steps per second: the best round.
double StepsPerSecond(model::Model* model) {
  const int context = absl::GetFlag(FLAGS_context), tokens = absl::GetFlag(FLAGS_tokens);
  Streams streams(model, absl::GetFlag(FLAGS_batch), context + tokens);
  streams.Forward(0, context);
  double best = 0;
  for (int round = 0; round < absl::GetFlag(FLAGS_rounds); ++round) {
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < tokens; ++i) streams.Forward(context + i, 1);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    best = std::max(best, tokens / seconds.count());
  }
  return best;
}

void Run() {
  const int threads =
      absl::GetFlag(FLAGS_threads) > 0 ? absl::GetFlag(FLAGS_threads) : backend::UsableProcessors();
  double bandwidth = ReadBandwidth(threads);
  const Subject subject = NewSubject(threads);
  const double steps = StepsPerSecond(subject.model.get());
  bandwidth = std::max(bandwidth, ReadBandwidth(threads));
  const double read = steps * static_cast<double>(subject.weight_bytes);
  std::printf("memory    %6.2f GB/s read by %d threads\n", bandwidth / 1e9, threads);
  std::printf("decoding  %6.2f tokens/s, %.2f GB/s of weights (%.1f MB per step)\n",
              steps * absl::GetFlag(FLAGS_batch), read / 1e9,
              static_cast<double>(subject.weight_bytes) / 1e6);
  std::printf("ratio     %6.1f %%\n", 100 * read / bandwidth);
}

}  // namespace
}  // namespace switchboard::bench

int main(int argc, char** argv) {
  switchboard::ParseCommandLine(argc, argv);
  switchboard::bench::Run();
  return 0;
}
