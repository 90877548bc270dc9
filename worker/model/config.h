// config.json of a checkpoint, checked and in one form; old and new key layouts are both read.
#ifndef SWITCHBOARD_WORKER_MODEL_CONFIG_H_
#define SWITCHBOARD_WORKER_MODEL_CONFIG_H_

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "base/json.h"

namespace switchboard::model {

// The text decoder of the GLM-4.1V line.
struct TextConfig {
  int vocab_size = 0;
  int hidden_size = 0;
  int mlp_size = 0;
  int layers = 0;
  int heads = 0, kv_heads = 0;
  int head_dim = 0;  // hidden_size / heads; the family reads no key of its own for it
  float rms_norm_eps = 0;
  double rope_theta = 0;
  int rotary_pairs = 0;  // rotated dimensions of a head / 2
  // Pairs that turn with time, height, width; the sum is rotary_pairs.
  std::array<int, 3> mrope_section{};
  int max_positions = 0;
  bool tie_word_embeddings = false;
};

// Its vision encoder.
struct VisionConfig {
  int depth = 0;
  int hidden_size = 0;
  int heads = 0, head_dim = 0;
  int mlp_size = 0;     // of a block: out_hidden_size in the file
  int merger_size = 0;  // of the merger: intermediate_size in the file
  int out_hidden_size = 0;
  int position_side = 0;  // learned positions per side: image_size / patch_size
  int channels = 0, temporal = 0, patch_size = 0;
  int patch_width = 0;  // floats per patch row: channels * temporal * patch_size^2
  int merge = 0;        // patches per side of an image token
  float rms_norm_eps = 0;
};

struct ModelConfig {
  std::string architecture;
  TextConfig text;
  VisionConfig vision;
  int32_t image_token_id = 0;
};

// "Glm4vForConditionalGeneration"; InvalidArgument unless `architectures` names exactly one.
absl::StatusOr<std::string> ArchitectureOf(const JsonObject& config);

// A Glm4v config. InvalidArgument names the key, its value and the range.
absl::StatusOr<ModelConfig> ParseGlm4vConfig(const JsonObject& config);

// DIR/config.json as an object; of a GGUF file what its metadata say (see gguf_config.h).
absl::StatusOr<JsonObject> ReadConfig(const std::string& dir);

}  // namespace switchboard::model

#endif  // SWITCHBOARD_WORKER_MODEL_CONFIG_H_
