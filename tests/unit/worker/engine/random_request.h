// Requests of all kinds for load tests.
#ifndef SWITCHBOARD_TESTS_UNIT_WORKER_ENGINE_RANDOM_REQUEST_H_
#define SWITCHBOARD_TESTS_UNIT_WORKER_ENGINE_RANDOM_REQUEST_H_

#include <algorithm>
#include <random>

#include "tests/unit/worker/engine/rig.h"

namespace switchboard::engine {

inline int Uniform(int low, int high, std::mt19937* random) {
  return std::uniform_int_distribution<int>(low, high)(*random);
}

inline SamplingParams RandomSampling(std::mt19937* random) {
  const auto maybe = [random] { return Uniform(0, 2, random) == 0; };
  SamplingParams sampling;
  sampling.temperature = maybe() ? 0.0f : 0.1f * static_cast<float>(Uniform(1, 20, random));
  if (maybe()) sampling.top_p = 0.05f * static_cast<float>(Uniform(0, 20, random));
  if (maybe()) sampling.top_k = Uniform(1, 30, random);
  if (maybe()) sampling.min_p = 0.1f;
  if (maybe()) sampling.repetition_penalty = 1.3f;
  if (maybe()) sampling.frequency_penalty = 0.2f;
  if (maybe()) sampling.presence_penalty = -0.7f;
  if (maybe()) sampling.logit_bias = {{Uniform(0, 89, random), 2.5f}, {3, -100.0f}};
  if (maybe()) sampling.stop_token_ids = {Uniform(0, 89, random)};
  if (maybe()) sampling.min_tokens = Uniform(1, 40, random);
  sampling.ignore_eos = Uniform(0, 1, random) == 0;
  sampling.seed = (*random)();
  sampling.max_tokens = Uniform(1, 250, random);
  return sampling;
}

inline Request RandomRequest(const EngineOptions& options, std::mt19937* random) {
  Request request;
  const int tokens = Uniform(1, options.max_model_len / 2, random);
  for (int i = 0; i < tokens; ++i) request.prompt_ids.push_back(Uniform(0, 93, random));
  if (Uniform(0, 3, random) == 0) AppendImage(4, 2 * Uniform(1, 8, random), 0.5f, &request);
  if (Uniform(0, 3, random) == 0) request.prompt_ids.push_back(5);
  if (Uniform(0, 3, random) == 0) request.choices = Uniform(2, 5, random);
  request.sampling = RandomSampling(random);
  return request;
}

}  // namespace switchboard::engine

#endif  // SWITCHBOARD_TESTS_UNIT_WORKER_ENGINE_RANDOM_REQUEST_H_
