#include "worker/model/model_factory.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "worker/backend/cpu/cpu_backend.h"
#include "worker/backend/cpu/isa.h"
#include "worker/backend/cpu/team.h"
#include "worker/model/host_memory.h"

namespace switchboard::model {
namespace {

constexpr char kGlm4v[] = "Glm4vForConditionalGeneration";
// Changes whenever the same weights would give other bits.
constexpr char kNumericsVersion[] = "cpu float 2";

// A checkpoint whose config and headers fit each other.
struct Opened {
  ModelConfig config;
  std::unique_ptr<Checkpoint> checkpoint;
  StoragePolicy storage;
  int64_t weight_bytes = 0;
  std::string report;
};

absl::StatusOr<Opened> Open(const std::string& dir, absl::string_view dtype) {
  ASSIGN_OR_RETURN(const JsonObject json, ReadConfig(dir));
  ASSIGN_OR_RETURN(const std::string architecture, ArchitectureOf(json));
  if (architecture != kGlm4v) {
    return absl::UnimplementedError(
        absl::StrCat("architecture ", architecture, " is not supported; known are: ", kGlm4v));
  }
  Opened opened;
  ASSIGN_OR_RETURN(opened.config, ParseGlm4vConfig(json));
  ASSIGN_OR_RETURN(opened.checkpoint, Checkpoint::Open(dir));
  ASSIGN_OR_RETURN(opened.storage, ParseStorage(dtype, *opened.checkpoint));
  WeightReader check(*opened.checkpoint, opened.storage);
  ReadGlm4vWeights(opened.config, &check);
  if (absl::Status status = check.Finish(); !status.ok()) return Annotate(status, dir);
  opened.weight_bytes = check.bytes();
  opened.report = check.Report();
  return opened;
}

absl::StatusOr<MemoryPlan> PlanFor(const Opened& opened, const LoadOptions& options,
                                   const backend::Backend& backend) {
  const TextConfig& text = opened.config.text;
  const MemoryNeeds needs = {
      .weights = opened.weight_bytes,
      .activations =
          ActivationBytes(opened.config, options.max_batched_tokens, options.max_image_tokens),
      .kv_page_bytes = backend.KvPageBytes({text.heads, text.kv_heads, text.head_dim}, text.layers),
      .max_positions = text.max_positions};
  int64_t budget = options.memory_budget;
  if (budget == 0) {
    ASSIGN_OR_RETURN(budget, MemoryBudget(1));
  }
  return PlanMemory(needs, {.budget = budget,
                            .kv_cache_bytes = options.kv_cache_bytes,
                            .max_model_len = options.max_model_len,
                            .max_sequences = options.max_sequences});
}

absl::StatusOr<Glm4vWeights> Load(const Opened& opened, backend::Backend* backend,
                                  const ProgressFn& progress) {
  WeightReader reader(*opened.checkpoint, opened.storage, backend, progress);
  Glm4vWeights weights = ReadGlm4vWeights(opened.config, &reader);
  RETURN_IF_ERROR(reader.Finish());
  return weights;
}

std::unique_ptr<backend::Backend> BackendFor(const LoadOptions& options) {
  return backend::NewCpuBackend(options.threads > 0 ? options.threads : backend::UsableProcessors(),
                                backend::DetectIsa());
}

}  // namespace

absl::StatusOr<MemoryPlan> PlanModelMemory(const std::string& dir, const LoadOptions& options) {
  ASSIGN_OR_RETURN(const Opened opened, Open(dir, options.dtype));
  return PlanFor(opened, options, *backend::NewCpuBackend(1, backend::DetectIsa()));
}

absl::StatusOr<LoadedModel> LoadModel(const std::string& dir, const LoadOptions& options,
                                      const ProgressFn& progress) {
  ASSIGN_OR_RETURN(const Opened opened, Open(dir, options.dtype));
  std::unique_ptr<backend::Backend> backend = BackendFor(options);
  LoadedModel loaded;
  ASSIGN_OR_RETURN(loaded.plan, PlanFor(opened, options, *backend));
  ASSIGN_OR_RETURN(Glm4vWeights weights, Load(opened, backend.get(), progress));
  loaded.config = opened.config;
  loaded.report = opened.report;
  loaded.warning = weights.text.warning;
  loaded.fingerprint = opened.checkpoint->Fingerprint();
  loaded.numerics = absl::StrCat(kNumericsVersion, " ", options.dtype);
  loaded.model =
      std::make_unique<Glm4vModel>(opened.config, std::move(weights), std::move(backend));
  return loaded;
}

absl::StatusOr<std::unique_ptr<Glm4vModel>> LoadGlm4v(const std::string& dir,
                                                      absl::string_view dtype,
                                                      std::unique_ptr<backend::Backend> backend) {
  ASSIGN_OR_RETURN(const Opened opened, Open(dir, dtype));
  ASSIGN_OR_RETURN(Glm4vWeights weights, Load(opened, backend.get(), nullptr));
  return std::make_unique<Glm4vModel>(opened.config, std::move(weights), std::move(backend));
}

}  // namespace switchboard::model
