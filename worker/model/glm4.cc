// GLM-4-0414: Glm with sandwich norms. Mind the names: post_attention_layernorm stands before the
// MLP, post_self_attn_layernorm behind the attention.
#include "worker/model/glm.h"
#include "worker/model/text_families.h"

namespace switchboard::model {

DecoderLayer ReadSandwichLayer(const TextConfig& c, const LayerReader& reader) {
  DecoderLayer w = ReadPreNormLayer(c, reader);
  w.attention_norm = reader.Norm("post_self_attn_layernorm");
  w.mlp_norm = reader.Norm("post_mlp_layernorm");
  return w;
}

const TextFamily kGlm4 = {"Glm4ForCausalLM", ParseGlmConfig, ReadSandwichLayer};

}  // namespace switchboard::model
