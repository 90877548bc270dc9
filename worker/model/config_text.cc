#include "worker/model/config_text.h"

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "worker/model/config_fields.h"
#include "worker/model/config_rope.h"

namespace switchboard::model {
namespace {

// The size of a head: the key, the family's default, or an even share of the hidden state.
absl::StatusOr<int> HeadDim(const TextConfig& text, const TextDefaults& defaults,
                            ConfigFields* fields) {
  const int head_dim = fields->Int("head_dim", 1, kMaxHeadDim, defaults.head_dim);
  RETURN_IF_ERROR(fields->status());
  if (text.heads % text.kv_heads != 0 || (head_dim == 0 && text.hidden_size % text.heads != 0)) {
    return BadConfig(absl::StrCat("hidden_size ", text.hidden_size, ", ", text.heads, " heads and ",
                                  text.kv_heads, " KV heads do not divide evenly"));
  }
  return head_dim == 0 ? text.hidden_size / text.heads : head_dim;
}

}  // namespace

absl::StatusOr<const JsonObject*> TextObject(const JsonObject& config) {
  if (FindPresent(config, "text_config") == nullptr) return &config;
  return ConfigObject(config, "text_config");
}

absl::StatusOr<TextConfig> ParseTextConfig(const JsonObject& config, const TextDefaults& defaults) {
  ASSIGN_OR_RETURN(const JsonObject* object, TextObject(config));
  ConfigFields root(&config, ""), fields(object, object == &config ? "" : "text_config.");
  TextConfig text;
  text.vocab_size = fields.Int("vocab_size", 1, kMaxVocabulary);
  text.hidden_size = fields.Int("hidden_size", 1, kMaxWidth);
  text.mlp_size = fields.Int("intermediate_size", 1, kMaxWidth);
  text.layers = fields.Int("num_hidden_layers", 1, kMaxLayers);
  text.heads = fields.Int("num_attention_heads", 1, kMaxHeads);
  text.kv_heads = fields.Int("num_key_value_heads", 1, kMaxHeads, text.heads);
  text.rms_norm_eps =
      static_cast<float>(fields.Number("rms_norm_eps", 0.0, 1.0, defaults.rms_norm_eps));
  text.max_positions = fields.Int("max_position_embeddings", 1, kMaxPositions);
  text.tie_word_embeddings = fields.Flag("tie_word_embeddings") || root.Flag("tie_word_embeddings");
  fields.MustBe("hidden_act", "silu");
  if (root.Has("quantization_config")) {
    root.Fail("quantization_config: quantised checkpoints other than GGUF are not supported");
  }
  RETURN_IF_ERROR(fields.status());
  RETURN_IF_ERROR(root.status());
  ASSIGN_OR_RETURN(text.head_dim, HeadDim(text, defaults, &fields));
  ASSIGN_OR_RETURN(text.rotary, ParseRotary(*object, text.head_dim, defaults.partial_rotary_factor,
                                            defaults.rotary_layout));
  return text;
}

}  // namespace switchboard::model
