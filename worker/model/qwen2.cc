// Qwen2 and Qwen2.5: Llama with biases on q, k and v, which no key of the config announces, and a
// window on the later layers if switched on.
#include "base/status_macros.h"
#include "worker/model/config_text.h"
#include "worker/model/qwen_windows.h"
#include "worker/model/text_families.h"

namespace switchboard::model {
namespace {

absl::StatusOr<TextConfig> ParseQwen2(const JsonObject& config) {
  ASSIGN_OR_RETURN(TextConfig text, ParseTextConfig(config, {.rms_norm_eps = 1e-6}));
  ASSIGN_OR_RETURN(const JsonObject* object, TextObject(config));
  text.qkv_bias = true;
  ASSIGN_OR_RETURN(text.windows, ParseQwenWindows(*object, text.layers));
  return text;
}

}  // namespace

const TextFamily kQwen2 = {"Qwen2ForCausalLM", ParseQwen2, ReadPreNormLayer};

}  // namespace switchboard::model
