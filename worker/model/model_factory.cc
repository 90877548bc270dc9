#include "worker/model/model_factory.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/digest.h"
#include "base/json.h"
#include "base/status_macros.h"
#include "worker/backend/cpu/cpu_backend.h"
#include "worker/backend/cpu/isa.h"
#include "worker/backend/cpu/team.h"
#include "worker/model/architecture.h"
#include "worker/model/config.h"
#include "worker/model/host_memory.h"

namespace switchboard::model {
namespace {

// Changes whenever the same weights would give other bits.
constexpr char kNumericsVersion[] = "cpu float 2";

// A checkpoint whose config and headers fit each other.
struct Opened {
  std::unique_ptr<Architecture> architecture;
  std::unique_ptr<Checkpoint> checkpoint;
  StoragePolicy storage;
  int64_t weight_bytes = 0;
  std::string report;
  std::string config;  // config.json in one spelling
};

absl::StatusOr<Opened> Open(const std::string& path, absl::string_view dtype) {
  ASSIGN_OR_RETURN(const JsonObject config, ReadConfig(path));
  Opened opened;
  ASSIGN_OR_RETURN(opened.architecture, NewArchitecture(config));
  ASSIGN_OR_RETURN(opened.checkpoint, Checkpoint::Open(path));
  ASSIGN_OR_RETURN(opened.storage, ParseStorage(dtype, *opened.checkpoint));
  WeightReader check(*opened.checkpoint, opened.storage);
  opened.architecture->Check(&check);
  if (absl::Status status = check.Finish(); !status.ok()) return Annotate(status, path);
  opened.weight_bytes = check.bytes();
  opened.report = check.Report();
  opened.config = SerializeJson(config);
  return opened;
}

absl::StatusOr<MemoryPlan> PlanFor(const Opened& opened, const LoadOptions& options,
                                   const backend::Backend& backend) {
  const TextConfig& text = opened.architecture->text();
  const MemoryNeeds needs = {
      .weights = opened.weight_bytes,
      .activations = opened.architecture->ActivationBytes(options.max_batched_tokens,
                                                          options.max_image_tokens) +
                     LogitBytes(text, options.max_sequences),
      .kv_page_bytes = backend.KvPageBytes({text.heads, text.kv_heads, text.head_dim}, text.layers),
      .max_positions = text.max_positions,
      .vocab_size = text.vocab_size};
  int64_t budget = options.memory_budget;
  if (budget == 0) {
    ASSIGN_OR_RETURN(budget, MemoryBudget(1));
  }
  return PlanMemory(needs, {.budget = budget,
                            .kv_cache_bytes = options.kv_cache_bytes,
                            .max_model_len = options.max_model_len,
                            .max_sequences = options.max_sequences});
}

absl::StatusOr<std::unique_ptr<DecoderModel>> Load(const Opened& opened,
                                                   std::unique_ptr<backend::Backend> backend,
                                                   const ProgressFn& progress) {
  WeightReader reader(*opened.checkpoint, opened.storage, backend.get(), progress);
  std::unique_ptr<DecoderModel> model = opened.architecture->Load(&reader, std::move(backend));
  RETURN_IF_ERROR(reader.Finish());
  return model;
}

std::unique_ptr<backend::Backend> BackendFor(const LoadOptions& options) {
  return backend::NewCpuBackend(options.threads > 0 ? options.threads : backend::UsableProcessors(),
                                backend::DetectIsa());
}

}  // namespace

absl::StatusOr<MemoryPlan> PlanModelMemory(const std::string& path, const LoadOptions& options) {
  ASSIGN_OR_RETURN(const Opened opened, Open(path, options.dtype));
  return PlanFor(opened, options, *backend::NewCpuBackend(1, backend::DetectIsa()));
}

absl::StatusOr<LoadedModel> LoadModel(const std::string& path, const LoadOptions& options,
                                      const ProgressFn& progress) {
  ASSIGN_OR_RETURN(const Opened opened, Open(path, options.dtype));
  std::unique_ptr<backend::Backend> backend = BackendFor(options);
  LoadedModel loaded;
  ASSIGN_OR_RETURN(loaded.plan, PlanFor(opened, options, *backend));
  ASSIGN_OR_RETURN(std::unique_ptr<DecoderModel> model, Load(opened, std::move(backend), progress));
  loaded.report = opened.report;
  loaded.warning = model->text().warning();
  loaded.fingerprint = Sha256Of(absl::StrCat(opened.checkpoint->Fingerprint(), opened.config));
  loaded.numerics = absl::StrCat(kNumericsVersion, " ", options.dtype);
  loaded.model = std::move(model);
  return loaded;
}

absl::StatusOr<std::unique_ptr<DecoderModel>> LoadOnBackend(
    const std::string& path, absl::string_view dtype, std::unique_ptr<backend::Backend> backend) {
  ASSIGN_OR_RETURN(const Opened opened, Open(path, dtype));
  return Load(opened, std::move(backend), nullptr);
}

absl::StatusOr<std::unique_ptr<Glm4vModel>> LoadGlm4v(const std::string& path,
                                                      absl::string_view dtype,
                                                      std::unique_ptr<backend::Backend> backend) {
  ASSIGN_OR_RETURN(std::unique_ptr<DecoderModel> model,
                   LoadOnBackend(path, dtype, std::move(backend)));
  if (!model->shape().has_vision) {
    return absl::UnimplementedError(absl::StrCat(path, " takes no images"));
  }
  // Only this class has a vision tower.
  return std::unique_ptr<Glm4vModel>(static_cast<Glm4vModel*>(model.release()));
}

}  // namespace switchboard::model
