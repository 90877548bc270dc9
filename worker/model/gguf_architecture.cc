#include "worker/model/gguf_architecture.h"

#include "absl/strings/escaping.h"
#include "base/status_macros.h"

namespace switchboard::model {
namespace {

constexpr int64_t kMaxHeads = 4096;

constexpr GgufArchitecture kArchitectures[] = {
    {"llama", "LlamaForCausalLM", true, false},  {"qwen2", "Qwen2ForCausalLM", false, false},
    {"qwen3", "Qwen3ForCausalLM", false, false}, {"glm4", "Glm4ForCausalLM", false, true},
    {"chatglm", "GlmForCausalLM", false, true},
};

}  // namespace

absl::StatusOr<GgufArchitecture> GgufArchitectureOf(const GgufMetadata& metadata) {
  ASSIGN_OR_RETURN(const std::optional<absl::string_view> name,
                   metadata.Text("general.architecture"));
  if (!name.has_value()) {
    return absl::InvalidArgumentError("metadata key 'general.architecture' is missing");
  }
  std::string known;
  for (const GgufArchitecture& architecture : kArchitectures) {
    if (architecture.name == *name) return architecture;
    absl::StrAppend(&known, known.empty() ? "" : ", ", architecture.name);
  }
  return absl::UnimplementedError(absl::StrCat("GGUF architecture '",
                                               absl::CHexEscape(name->substr(0, 100)),
                                               "' is not supported; known are: ", known));
}

absl::StatusOr<int64_t> GgufSize(const GgufMetadata& metadata, const std::string& key,
                                 int64_t most) {
  ASSIGN_OR_RETURN(const std::optional<int64_t> size, metadata.Int(key));
  if (!size.has_value()) {
    return absl::InvalidArgumentError(absl::StrCat("metadata key '", key, "' is missing"));
  }
  if (*size < 1 || *size > most) {
    return absl::InvalidArgumentError(
        absl::StrCat("metadata key '", key, "' is ", *size, ", not from 1 to ", most));
  }
  return *size;
}

absl::StatusOr<GgufHeads> GgufHeadsOf(const GgufArchitecture& architecture,
                                      const GgufMetadata& metadata) {
  GgufHeads heads;
  ASSIGN_OR_RETURN(heads.query,
                   GgufSize(metadata, architecture.Key("attention.head_count"), kMaxHeads));
  heads.kv = heads.query;
  const std::string kv_key = architecture.Key("attention.head_count_kv");
  if (metadata.Find(kv_key) != nullptr) {
    ASSIGN_OR_RETURN(heads.kv, GgufSize(metadata, kv_key, kMaxHeads));
  }
  return heads;
}

}  // namespace switchboard::model
