// The keys that all text decoders share.
#ifndef SWITCHBOARD_WORKER_MODEL_CONFIG_TEXT_H_
#define SWITCHBOARD_WORKER_MODEL_CONFIG_TEXT_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/json.h"
#include "worker/model/config.h"

namespace switchboard::model {

// What a family's class in transformers takes where config.json is silent.
struct TextDefaults {
  double rms_norm_eps = 1e-6;
  int head_dim = 0;  // 0: hidden_size / num_attention_heads
  double partial_rotary_factor = 1.0;
  RotaryPairs rotary_layout = RotaryPairs::kHalves;
};

// The `text_config` of a config.json that has one, else the whole.
absl::StatusOr<const JsonObject*> TextObject(const JsonObject& config);

// Sizes, rotary and tied embeddings (which may be said in either place) of a text decoder; biases
// and windows are left to the family. InvalidArgument names the key, its value and the range, an
// activation other than silu, and quantised checkpoints.
absl::StatusOr<TextConfig> ParseTextConfig(const JsonObject& config, const TextDefaults& defaults);

}  // namespace switchboard::model

#endif  // SWITCHBOARD_WORKER_MODEL_CONFIG_TEXT_H_
