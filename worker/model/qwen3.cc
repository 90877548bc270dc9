// Qwen3: each head of q and k through an RMS norm before it turns; attention_bias as in Llama.
#include "base/status_macros.h"
#include "worker/model/config_fields.h"
#include "worker/model/config_text.h"
#include "worker/model/qwen_windows.h"
#include "worker/model/text_families.h"

namespace switchboard::model {
namespace {

absl::StatusOr<TextConfig> ParseQwen3(const JsonObject& config) {
  ASSIGN_OR_RETURN(TextConfig text,
                   ParseTextConfig(config, {.rms_norm_eps = 1e-6, .head_dim = 128}));
  ASSIGN_OR_RETURN(const JsonObject* object, TextObject(config));
  ConfigFields fields(object, "");
  text.qkv_bias = text.out_bias = fields.Flag("attention_bias");
  RETURN_IF_ERROR(fields.status());
  ASSIGN_OR_RETURN(text.windows, ParseQwenWindows(*object, text.layers));
  return text;
}

DecoderLayer ReadQwen3Layer(const TextConfig& c, const LayerReader& reader) {
  DecoderLayer w = ReadPreNormLayer(c, reader);
  w.q_norm = reader.HeadNorm("q_norm");
  w.k_norm = reader.HeadNorm("k_norm");
  return w;
}

}  // namespace

const TextFamily kQwen3 = {"Qwen3ForCausalLM", ParseQwen3, ReadQwen3Layer};

}  // namespace switchboard::model
