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

// Which elements of a head turn together: (i, pairs + i) or (2i, 2i + 1).
enum class RotaryPairs { kHalves, kAdjacent };

// How frequency f of a rotary pair is changed for lengths beyond those of training.
struct RopeScaling {
  enum class Kind {
    kNone,
    kLinear,    // f / factor
    kLlama3,    // f where its wave is short, f / factor where it is long, between them a mean
    kDivisors,  // f_i / divisors[i]
  };
  Kind kind = Kind::kNone;
  double factor = 1;
  // Of kLlama3: a wave (2 pi / f) is short below original_length / high_factor, long above
  // original_length / low_factor. REQUIRES: low_factor < high_factor.
  double original_length = 0, low_factor = 0, high_factor = 0;
  std::vector<double> divisors;  // of kDivisors: one per pair
};

struct RotaryConfig {
  double theta = 0;
  int pairs = 0;  // rotated dimensions of a head / 2
  RotaryPairs layout = RotaryPairs::kHalves;
  // Pairs that turn with time, height, width; the sum is `pairs`. Text alone turns with time.
  std::array<int, 3> sections{};
  RopeScaling scaling;
};

// A text decoder. What distinguishes the families beyond this is in their files.
struct TextConfig {
  int vocab_size = 0;
  int hidden_size = 0;
  int mlp_size = 0;
  int layers = 0;
  int heads = 0, kv_heads = 0;
  int head_dim = 0;
  float rms_norm_eps = 0;
  RotaryConfig rotary;
  int max_positions = 0;
  bool tie_word_embeddings = false;
  // Which projections have a bias: q, k and v; the attention's output; all of the MLP's.
  bool qkv_bias = false, out_bias = false, mlp_bias = false;
  // Tokens that a layer's queries see, themselves included (0: all); empty: all layers see all.
  std::vector<int> windows;

  int window(int layer) const { return windows.empty() ? 0 : windows[static_cast<size_t>(layer)]; }
};

// The vision encoder of the GLM-4.1V line.
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

struct Glm4vConfig {
  TextConfig text;
  VisionConfig vision;
  int32_t image_token_id = 0;
};

// "Glm4vForConditionalGeneration"; InvalidArgument unless `architectures` names exactly one.
absl::StatusOr<std::string> ArchitectureOf(const JsonObject& config);

// A Glm4v config. InvalidArgument names the key, its value and the range.
absl::StatusOr<Glm4vConfig> ParseGlm4vConfig(const JsonObject& config);

// DIR/config.json as an object; of a path that ends with ".gguf", what its metadata say in that
// form.
absl::StatusOr<JsonObject> ReadConfig(const std::string& path);

}  // namespace switchboard::model

#endif  // SWITCHBOARD_WORKER_MODEL_CONFIG_H_
