// GLM-4-9B: adjacent elements turn together, half of each head by default; attention_bias puts a
// bias on q, k and v only; the MLP's gate and up are one matrix.
#include "worker/model/glm.h"

#include "base/status_macros.h"
#include "worker/model/config_fields.h"
#include "worker/model/config_text.h"
#include "worker/model/text_families.h"

namespace switchboard::model {

absl::StatusOr<TextConfig> ParseGlmConfig(const JsonObject& config) {
  ASSIGN_OR_RETURN(TextConfig text,
                   ParseTextConfig(config, {.rms_norm_eps = 1.5625e-7,
                                            .head_dim = 128,
                                            .partial_rotary_factor = 0.5,
                                            .rotary_layout = RotaryPairs::kAdjacent}));
  ASSIGN_OR_RETURN(const JsonObject* object, TextObject(config));
  ConfigFields fields(object, "");
  text.qkv_bias = fields.Flag("attention_bias");
  RETURN_IF_ERROR(fields.status());
  return text;
}

const TextFamily kGlm = {"GlmForCausalLM", ParseGlmConfig, ReadPreNormLayer};

}  // namespace switchboard::model
