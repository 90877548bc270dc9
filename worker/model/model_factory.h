// From a checkpoint (a folder, or a GGUF file) to a model that is ready to run: the one entry of
// this folder that programs need.
#ifndef SWITCHBOARD_WORKER_MODEL_MODEL_FACTORY_H_
#define SWITCHBOARD_WORKER_MODEL_MODEL_FACTORY_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "worker/backend/ops.h"
#include "worker/model/decoder_model.h"
#include "worker/model/glm4v_model.h"
#include "worker/model/memory_plan.h"
#include "worker/model/model.h"
#include "worker/model/weights.h"

namespace switchboard::model {

struct LoadOptions {
  int threads = 0;  // of the back end; 0: every processor this process may use
  // --dtype: what matrices are kept as. The CPU computes in float whatever it is, so activations
  // overflow in none. auto: as each is stored (quantised ones as float32); float32; bfloat16
  // (rounded to the nearest); float16 only for checkpoints that are float16 already, since others
  // may hold weights beyond its range.
  std::string dtype = "auto";
  int64_t memory_budget = 0;      // bytes for everything; 0: MemoryBudget of one worker
  int64_t kv_cache_bytes = 0;     // --kv-cache-memory; 0: by the plan
  int max_model_len = 0;          // --max-model-len; 0: the model's own
  int max_sequences = 64;         // --max-num-seqs
  int max_batched_tokens = 2048;  // --max-num-batched-tokens: most tokens of a step
  int max_image_tokens = 4096;    // of the largest image that will be encoded
};

struct LoadedModel {
  std::unique_ptr<Model> model;
  MemoryPlan plan;
  // SHA-256 (32 bytes) of Checkpoint::Fingerprint and of the config, which decides the arithmetic.
  std::string fingerprint;
  // What besides the weights decides the bits of the results: "cpu float 2 auto".
  std::string numerics;
  std::string report;   // WeightReader::Report
  std::string warning;  // one line for the log, or empty
};

// The plan alone, from config.json and the headers. Errors as LoadModel's.
absl::StatusOr<MemoryPlan> PlanModelMemory(const std::string& path, const LoadOptions& options);

// Loads a folder with config.json and safetensors, or a file whose name ends with ".gguf". NotFound
// without config.json or weights; Unimplemented for an architecture that is not
// known (the message lists those that are); InvalidArgument for files that contradict each other;
// ResourceExhausted when it does not fit.
absl::StatusOr<LoadedModel> LoadModel(const std::string& path, const LoadOptions& options,
                                      const ProgressFn& progress);

// The same on a back end of the caller's, without a memory plan.
absl::StatusOr<std::unique_ptr<DecoderModel>> LoadOnBackend(
    const std::string& path, absl::string_view dtype, std::unique_ptr<backend::Backend> backend);

// The same where only a Glm4v model will do; Unimplemented for others.
absl::StatusOr<std::unique_ptr<Glm4vModel>> LoadGlm4v(const std::string& path,
                                                      absl::string_view dtype,
                                                      std::unique_ptr<backend::Backend> backend);

}  // namespace switchboard::model

#endif  // SWITCHBOARD_WORKER_MODEL_MODEL_FACTORY_H_
