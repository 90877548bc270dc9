#include "worker/model/gguf_config.h"

#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "worker/model/gguf_architecture.h"
#include "worker/model/stored_tensor.h"

namespace switchboard::model {
namespace {

constexpr int64_t kMaxSize = 1 << 24;
constexpr double kDefaultTheta = 10000.0;

const GgufTensor* FindTensor(const GgufContent& content, absl::string_view name) {
  for (const GgufTensor& tensor : content.tensors) {
    if (tensor.name == name) return &tensor;
  }
  return nullptr;
}

absl::Status Unsupported(absl::string_view key) {
  return absl::UnimplementedError(
      absl::StrCat("metadata key '", key, "': models that need it are not supported"));
}

// What changes the computation in ways that no family here knows.
absl::Status RefuseUnknownKinds(const GgufArchitecture& a, const GgufMetadata& metadata) {
  for (const absl::string_view rest : {"expert_count", "attention.sliding_window"}) {
    ASSIGN_OR_RETURN(const std::optional<int64_t> value, metadata.Int(a.Key(rest)));
    if (value.value_or(0) > 0) return Unsupported(a.Key(rest));
  }
  // The older spelling of linear scaling.
  ASSIGN_OR_RETURN(const std::optional<double> linear, metadata.Float(a.Key("rope.scale_linear")));
  if (linear.value_or(1) != 1) return Unsupported(a.Key("rope.scale_linear"));
  for (const absl::string_view rest :
       {"rope.dimension_sections", "rope.scaling.attn_factor", "attention.scale", "logit_scale",
        "residual_scale", "embedding_scale"}) {
    if (metadata.Find(a.Key(rest)) != nullptr) return Unsupported(a.Key(rest));
  }
  return absl::OkStatus();
}

// head_dim, and the part of it that turns.
absl::Status AddHeads(const GgufArchitecture& a, const GgufMetadata& metadata, int64_t hidden_size,
                      JsonObject* config) {
  ASSIGN_OR_RETURN(const GgufHeads heads, GgufHeadsOf(a, metadata));
  (*config)["num_attention_heads"] = heads.query;
  (*config)["num_key_value_heads"] = heads.kv;
  ASSIGN_OR_RETURN(const std::optional<int64_t> key_length,
                   metadata.Int(a.Key("attention.key_length")));
  ASSIGN_OR_RETURN(const std::optional<int64_t> value_length,
                   metadata.Int(a.Key("attention.value_length")));
  const int64_t head_dim = key_length.value_or(hidden_size / heads.query);
  if (head_dim < 1 || head_dim > kMaxSize || value_length.value_or(head_dim) != head_dim) {
    return absl::InvalidArgumentError(
        absl::StrCat("attention.key_length ", head_dim, " and value_length ",
                     value_length.value_or(head_dim), " are no common size of a head"));
  }
  (*config)["head_dim"] = head_dim;
  ASSIGN_OR_RETURN(const std::optional<int64_t> turning,
                   metadata.Int(a.Key("rope.dimension_count")));
  if (!turning.has_value() || *turning == head_dim) return absl::OkStatus();
  if (*turning < 2 || *turning > head_dim || *turning % 2 != 0) {
    return absl::InvalidArgumentError(absl::StrCat("metadata key '", a.Key("rope.dimension_count"),
                                                   "' is ", *turning, " for heads of ", head_dim));
  }
  (*config)["partial_rotary_factor"] =
      static_cast<double>(*turning) / static_cast<double>(head_dim);
  return absl::OkStatus();
}

absl::StatusOr<JsonObject> Divisors(const GgufTensor& tensor) {
  const StoredTensor stored = {tensor.name, tensor.type, tensor.shape, tensor.bytes, 0};
  ASSIGN_OR_RETURN(const backend::TensorView view, AsFloats(stored));
  if (tensor.type != "F32" || tensor.shape.size() != 1 || tensor.shape[0] > kMaxSize) {
    return BadTensor(tensor.name, "must be a vector of F32");
  }
  JsonArray divisors;
  for (const float value : backend::ToFloats(view)) {
    if (!std::isfinite(value) || value <= 0) {
      return BadTensor(tensor.name, absl::StrCat("has the value ", value));
    }
    divisors.push_back(static_cast<double>(value));
  }
  return JsonObject{{"rope_type", "divisors"}, {"divisors", std::move(divisors)}};
}

absl::StatusOr<JsonObject> LinearScaling(const GgufArchitecture& a, const GgufMetadata& metadata) {
  const std::string key = a.Key("rope.scaling.factor");
  ASSIGN_OR_RETURN(const std::optional<double> factor, metadata.Float(key));
  if (!factor.has_value() || !std::isfinite(*factor) || *factor <= 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("metadata key '", key, "' is missing or not above 0"));
  }
  return JsonObject{{"rope_type", "linear"}, {"factor", *factor}};
}

absl::Status AddRope(const GgufArchitecture& a, const GgufContent& content, JsonObject* config) {
  const GgufMetadata& metadata = content.metadata;
  ASSIGN_OR_RETURN(const std::optional<double> theta, metadata.Float(a.Key("rope.freq_base")));
  (*config)["rope_theta"] = theta.value_or(kDefaultTheta);
  ASSIGN_OR_RETURN(const std::optional<absl::string_view> type,
                   metadata.Text(a.Key("rope.scaling.type")));
  const absl::string_view name = type.value_or("none");
  if (name != "none" && name != "linear") {
    return absl::UnimplementedError(absl::StrCat("metadata key '", a.Key("rope.scaling.type"),
                                                 "' is '", absl::CHexEscape(name.substr(0, 40)),
                                                 "'; none and linear are known"));
  }
  const GgufTensor* divisors = FindTensor(content, "rope_freqs.weight");
  if (divisors != nullptr && name != "none") {
    return BadTensor(divisors->name, absl::StrCat("contradicts ", a.Key("rope.scaling.type")));
  }
  if (divisors != nullptr) {
    ASSIGN_OR_RETURN((*config)["rope_scaling"], Divisors(*divisors));
  } else if (name != "none") {
    ASSIGN_OR_RETURN((*config)["rope_scaling"], LinearScaling(a, metadata));
  }
  return absl::OkStatus();
}

absl::Status AddSizes(const GgufArchitecture& a, const GgufContent& content, JsonObject* config) {
  const std::pair<absl::string_view, absl::string_view> sizes[] = {
      {"block_count", "num_hidden_layers"},
      {"context_length", "max_position_embeddings"},
      {"embedding_length", "hidden_size"},
      {"feed_forward_length", "intermediate_size"}};
  for (const auto& [from, to] : sizes) {
    ASSIGN_OR_RETURN(const int64_t size, GgufSize(content.metadata, a.Key(from), kMaxSize));
    (*config)[ToBoost(to)] = size;
  }
  const GgufTensor* embedding = FindTensor(content, "token_embd.weight");
  if (embedding == nullptr || embedding->shape.size() != 2) {
    return BadTensor("token_embd.weight", "is missing or no matrix");
  }
  (*config)["vocab_size"] = embedding->shape[0];
  const std::string eps_key = a.Key("attention.layer_norm_rms_epsilon");
  ASSIGN_OR_RETURN(const std::optional<double> eps, content.metadata.Float(eps_key));
  if (!eps.has_value() || !(*eps >= 0 && *eps <= 1)) {
    return absl::InvalidArgumentError(
        absl::StrCat("metadata key '", eps_key, "' is missing or not from 0 to 1"));
  }
  (*config)["rms_norm_eps"] = *eps;
  return absl::OkStatus();
}

}  // namespace

bool IsGgufPath(absl::string_view path) { return absl::EndsWith(path, ".gguf"); }

absl::StatusOr<JsonObject> GgufConfig(const GgufContent& content) {
  ASSIGN_OR_RETURN(const GgufArchitecture a, GgufArchitectureOf(content.metadata));
  RETURN_IF_ERROR(RefuseUnknownKinds(a, content.metadata));
  JsonObject config;
  config["architectures"] = JsonArray{ToBoost(a.class_name)};
  config["hidden_act"] = "silu";
  RETURN_IF_ERROR(AddSizes(a, content, &config));
  RETURN_IF_ERROR(AddHeads(a, content.metadata, config["hidden_size"].as_int64(), &config));
  RETURN_IF_ERROR(AddRope(a, content, &config));
  config["tie_word_embeddings"] = FindTensor(content, "output.weight") == nullptr;
  config["attention_bias"] = FindTensor(content, "blk.0.attn_q.bias") != nullptr ||
                             FindTensor(content, "blk.0.attn_qkv.bias") != nullptr;
  return config;
}

absl::StatusOr<JsonObject> ReadGgufConfig(const std::string& path) {
  ASSIGN_OR_RETURN(const std::unique_ptr<GgufModel> model, GgufModel::Open(path));
  absl::StatusOr<JsonObject> config = GgufConfig(model->content());
  if (!config.ok()) return Annotate(config.status(), path);
  return config;
}

}  // namespace switchboard::model
