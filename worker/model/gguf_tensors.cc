#include "worker/model/gguf_tensors.h"

#include <set>
#include <string>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/status_macros.h"
#include "worker/model/gguf_architecture.h"

namespace switchboard::model {
namespace {

constexpr absl::string_view kRopeDivisors = "rope_freqs.weight";

// A part of a name: as GGUF has it, as Hugging Face has it.
struct Part {
  absl::string_view gguf, hugging_face;
};
constexpr Part kOutside[] = {
    {"token_embd", "model.embed_tokens"}, {"output_norm", "model.norm"}, {"output", "lm_head"}};
constexpr Part kInLayer[] = {{"attn_norm", "input_layernorm"},
                             {"attn_q", "self_attn.q_proj"},
                             {"attn_k", "self_attn.k_proj"},
                             {"attn_v", "self_attn.v_proj"},
                             {"attn_output", "self_attn.o_proj"},
                             {"attn_q_norm", "self_attn.q_norm"},
                             {"attn_k_norm", "self_attn.k_norm"},
                             {"post_attention_norm", "post_self_attn_layernorm"},
                             {"ffn_norm", "post_attention_layernorm"},
                             {"ffn_gate", "mlp.gate_proj"},
                             {"ffn_up", "mlp.up_proj"},
                             {"ffn_down", "mlp.down_proj"},
                             {"post_ffw_norm", "post_mlp_layernorm"}};
constexpr absl::string_view kFusedQkv = "attn_qkv", kFusedGateUp = "mlp.gate_up_proj";

// "blk.3.attn_q.weight" taken apart. The views borrow from the name.
struct Name {
  absl::string_view layer;   // "3"; empty outside of layers
  absl::string_view part;    // "attn_q"
  absl::string_view suffix;  // ".weight" or ".bias"; empty: no name of a weight
};

Name Split(absl::string_view name) {
  Name split;
  for (const absl::string_view suffix : {".weight", ".bias"}) {
    if (absl::ConsumeSuffix(&name, suffix)) {
      split.suffix = suffix;
      break;
    }
  }
  split.part = name;
  if (!absl::ConsumePrefix(&name, "blk.")) return split;
  size_t digits = 0;
  while (digits < name.size() && absl::ascii_isdigit(static_cast<unsigned char>(name[digits]))) {
    ++digits;
  }
  if (digits == 0 || digits == name.size() || name[digits] != '.') return split;
  split.layer = name.substr(0, digits);
  split.part = name.substr(digits + 1);
  return split;
}

std::string InLayer(const Name& name, absl::string_view part) {
  return absl::StrCat("model.layers.", name.layer, ".", part, name.suffix);
}

// The Hugging Face name; the GGUF one where there is no counterpart.
std::string Translate(const std::string& gguf, const Name& name, bool fused_gate_up) {
  if (name.suffix.empty()) return gguf;
  if (name.layer.empty()) {
    for (const Part& part : kOutside) {
      if (part.gguf == name.part) return absl::StrCat(part.hugging_face, name.suffix);
    }
    return gguf;
  }
  if (fused_gate_up && name.part == "ffn_up") return InLayer(name, kFusedGateUp);
  for (const Part& part : kInLayer) {
    if (part.gguf == name.part) return InLayer(name, part.hugging_face);
  }
  return gguf;
}

// Rows cannot be addressed in a vector of quantised blocks.
absl::Status CheckRows(const GgufTensor& tensor) {
  if (tensor.shape.size() == 1 && tensor.type != "F32" && tensor.type != "F16" &&
      tensor.type != "BF16") {
    return BadTensor(tensor.name,
                     absl::StrCat("a vector of type ", tensor.type, " is not supported here"));
  }
  return absl::OkStatus();
}

absl::Status MarkInterleaved(int64_t heads, const GgufTensor& from, StoredTensor* tensor) {
  const int64_t rows = tensor->shape[0];
  if (rows % heads != 0 || rows / heads % 2 != 0) {
    return BadTensor(from.name, absl::StrCat(rows, " rows are not an even number for each of ",
                                             heads, " heads"));
  }
  RETURN_IF_ERROR(CheckRows(from));
  tensor->interleaved_rows = rows / heads;
  return absl::OkStatus();
}

// q, k and v, one below the other, as three tensors; `interleaved`: the rows of q and k.
absl::Status SplitQkv(const GgufTensor& from, const Name& name, const GgufHeads& heads,
                      bool interleaved, std::vector<StoredTensor>* tensors) {
  RETURN_IF_ERROR(CheckRows(from));
  const int64_t rows = from.shape[0], total = heads.query + 2 * heads.kv;
  if (rows % total != 0) {
    return BadTensor(from.name, absl::StrCat(rows, " rows are not divisible by ", total,
                                             " heads of q, k and v"));
  }
  const int64_t head_rows = rows / total;
  if (interleaved && head_rows % 2 != 0) {
    return BadTensor(from.name, absl::StrCat("heads of ", head_rows, " rows are not even"));
  }
  const size_t row_bytes = from.bytes.size() / static_cast<size_t>(rows);
  absl::string_view rest = from.bytes;
  const std::pair<absl::string_view, int64_t> parts[] = {{"self_attn.q_proj", heads.query},
                                                         {"self_attn.k_proj", heads.kv},
                                                         {"self_attn.v_proj", heads.kv}};
  for (const auto& [part, count] : parts) {
    std::vector<int64_t> shape = from.shape;
    shape[0] = count * head_rows;
    const size_t bytes = row_bytes * static_cast<size_t>(shape[0]);
    const bool is_value = part == "self_attn.v_proj";
    tensors->push_back({InLayer(name, part), from.type, std::move(shape), rest.substr(0, bytes),
                        interleaved && !is_value ? head_rows : 0});
    rest.remove_prefix(bytes);
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::vector<StoredTensor>> HuggingFaceTensors(const GgufContent& content) {
  ASSIGN_OR_RETURN(const GgufArchitecture architecture, GgufArchitectureOf(content.metadata));
  ASSIGN_OR_RETURN(const GgufHeads heads, GgufHeadsOf(architecture, content.metadata));
  std::vector<StoredTensor> tensors;
  for (const GgufTensor& from : content.tensors) {
    if (from.name == kRopeDivisors) continue;
    const Name name = Split(from.name);
    const bool in_layer = !name.layer.empty() && !name.suffix.empty();
    if (in_layer && name.part == kFusedQkv) {
      RETURN_IF_ERROR(SplitQkv(from, name, heads, architecture.interleaved_qk, &tensors));
      continue;
    }
    StoredTensor tensor = {Translate(from.name, name, architecture.fused_gate_up), from.type,
                           from.shape, from.bytes, 0};
    if (architecture.interleaved_qk && in_layer && name.part == "attn_q") {
      RETURN_IF_ERROR(MarkInterleaved(heads.query, from, &tensor));
    }
    if (architecture.interleaved_qk && in_layer && name.part == "attn_k") {
      RETURN_IF_ERROR(MarkInterleaved(heads.kv, from, &tensor));
    }
    tensors.push_back(std::move(tensor));
  }
  std::set<absl::string_view> names;
  for (const StoredTensor& tensor : tensors) {
    if (!names.insert(tensor.name).second) return BadTensor(tensor.name, "occurs twice");
  }
  return tensors;
}

}  // namespace switchboard::model
