// Llama 1 to 3 and what is built like it (SmolLM2, Yi, ...): halves turn together; attention_bias
// puts a bias on q, k, v and on the output, mlp_bias on all of the MLP.
#include "base/status_macros.h"
#include "worker/model/config_fields.h"
#include "worker/model/config_text.h"
#include "worker/model/text_families.h"

namespace switchboard::model {
namespace {

absl::StatusOr<TextConfig> ParseLlama(const JsonObject& config) {
  ASSIGN_OR_RETURN(TextConfig text, ParseTextConfig(config, {.rms_norm_eps = 1e-6}));
  ASSIGN_OR_RETURN(const JsonObject* object, TextObject(config));
  ConfigFields fields(object, "");
  text.qkv_bias = text.out_bias = fields.Flag("attention_bias");
  text.mlp_bias = fields.Flag("mlp_bias");
  RETURN_IF_ERROR(fields.status());
  return text;
}

}  // namespace

DecoderLayer ReadPreNormLayer(const TextConfig& c, const LayerReader& reader) {
  DecoderLayer w;
  w.input_norm = reader.Norm("input_layernorm");
  w.qkv = reader.Qkv(c.qkv_bias);
  w.out = reader.Out(c.out_bias);
  w.pre_mlp_norm = reader.Norm("post_attention_layernorm");
  w.gate_up = reader.GateUp(c.mlp_bias);
  w.down = reader.Down(c.mlp_bias);
  return w;
}

const TextFamily kLlama = {"LlamaForCausalLM", ParseLlama, ReadPreNormLayer};

}  // namespace switchboard::model
