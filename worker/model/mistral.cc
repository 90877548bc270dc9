// Mistral: Llama without biases, with one window on all layers.
#include "base/status_macros.h"
#include "worker/model/config_fields.h"
#include "worker/model/config_text.h"
#include "worker/model/text_families.h"

namespace switchboard::model {
namespace {

// What the class takes when the key is absent; a null switches the window off.
constexpr int kDefaultWindow = 4096;

absl::StatusOr<TextConfig> ParseMistral(const JsonObject& config) {
  ASSIGN_OR_RETURN(TextConfig text, ParseTextConfig(config, {.rms_norm_eps = 1e-6}));
  ASSIGN_OR_RETURN(const JsonObject* object, TextObject(config));
  const Json* window = FindMember(*object, "sliding_window");
  if (window != nullptr && window->is_null()) return text;
  ConfigFields fields(object, "");
  text.windows.assign(static_cast<size_t>(text.layers),
                      fields.Int("sliding_window", 1, kMaxPositions, kDefaultWindow));
  RETURN_IF_ERROR(fields.status());
  return text;
}

}  // namespace

const TextFamily kMistral = {"MistralForCausalLM", ParseMistral, ReadPreNormLayer};

}  // namespace switchboard::model
