#include "worker/model/config.h"

#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "base/mapped_file.h"
#include "base/status_macros.h"
#include "worker/model/config_fields.h"
#include "worker/model/config_rope.h"
#include "worker/model/config_text.h"
#include "worker/model/gguf_config.h"

namespace switchboard::model {
namespace {

constexpr size_t kMaxConfigBytes = size_t{4} << 20;

// The rotary pairs of each axis: mrope_section. Rope type "mrope" is an old name of "default".
absl::Status ReadSections(const JsonObject& rope, RotaryConfig* rotary) {
  rotary->sections = {8, 12, 12};
  const Json* sections = FindPresent(rope, "mrope_section");
  int sum = 32;
  if (sections != nullptr) {
    if (!sections->is_array() || sections->as_array().size() != 3) {
      return BadConfig("mrope_section is not an array of three numbers");
    }
    sum = 0;
    for (size_t i = 0; i < 3; ++i) {
      const Json& size = sections->as_array()[i];
      if (!size.is_int64() || size.as_int64() < 0 || size.as_int64() > kMaxWidth) {
        return BadConfig(absl::StrCat("mrope_section has the value ", ConfigValueText(size)));
      }
      sum += rotary->sections[i] = static_cast<int>(size.as_int64());
    }
  }
  if (sum != rotary->pairs) {
    return BadConfig(absl::StrCat("mrope_section sums to ", sum, ", the rotary part of a head has ",
                                  rotary->pairs, " pairs"));
  }
  return absl::OkStatus();
}

// The text part, in which the class takes no key for head_dim and always has q, k and v biases.
absl::StatusOr<TextConfig> ParseText(JsonObject config) {
  JsonObject& object = config["text_config"].as_object();
  object.erase("head_dim");
  ASSIGN_OR_RETURN(JsonObject rope, RopeObject(object));
  for (const absl::string_view key : {"rope_type", "type"}) {
    const Json* type = FindPresent(rope, key);
    if (type == nullptr) continue;
    if (*type == Json("mrope")) rope[ToBoost(key)] = "default";
    if (*FindPresent(rope, key) == Json("default")) continue;
    return BadConfig(absl::StrCat("rope type ", ConfigValueText(*type),
                                  " is not supported by this family; only \"default\" is"));
  }
  object.erase("rope_parameters");
  object["rope_scaling"] = rope;
  ASSIGN_OR_RETURN(TextConfig text,
                   ParseTextConfig(config, {.rms_norm_eps = 1e-5,
                                            .partial_rotary_factor = 0.5,
                                            .rotary_layout = RotaryPairs::kAdjacent}));
  RETURN_IF_ERROR(ReadSections(rope, &text.rotary));
  text.qkv_bias = true;
  return text;
}

absl::StatusOr<VisionConfig> ParseVision(const JsonObject& object, int text_hidden_size) {
  ConfigFields fields(&object, "vision_config.");
  VisionConfig vision;
  vision.depth = fields.Int("depth", 0, kMaxLayers);
  vision.hidden_size = fields.Int("hidden_size", 1, kMaxWidth);
  vision.heads = fields.Int("num_heads", 1, kMaxHeads);
  vision.out_hidden_size = fields.Int("out_hidden_size", 1, kMaxWidth);
  vision.mlp_size = vision.out_hidden_size;
  vision.merger_size = fields.Int("intermediate_size", 1, kMaxWidth);
  vision.rms_norm_eps = static_cast<float>(fields.Number("rms_norm_eps", 0.0, 1.0, 1e-5));
  vision.merge = fields.Int("spatial_merge_size", 1, 16, 2);
  vision.patch_size = fields.Int("patch_size", 1, 256);
  const int image = fields.Int("image_size", 1, 1 << 14);
  vision.channels = fields.Int("in_channels", 1, 16, 3);
  vision.temporal = fields.Int("temporal_patch_size", 1, 16, 2);
  fields.MustBe("hidden_act", "silu");
  if (fields.Flag("attention_bias")) fields.Fail("vision_config.attention_bias is not supported");
  RETURN_IF_ERROR(fields.status());
  vision.position_side = image / vision.patch_size;
  vision.patch_width = vision.channels * vision.temporal * vision.patch_size * vision.patch_size;
  vision.head_dim = vision.hidden_size / vision.heads;
  if (vision.hidden_size % vision.heads != 0 || vision.head_dim % 4 != 0) {
    return BadConfig(absl::StrCat("vision_config: hidden_size ", vision.hidden_size, " in ",
                                  vision.heads,
                                  " heads gives no head size that is a multiple of 4"));
  }
  if (vision.position_side == 0 || vision.out_hidden_size != text_hidden_size) {
    return BadConfig(absl::StrCat("vision_config: out_hidden_size ", vision.out_hidden_size,
                                  " must be text_config.hidden_size ", text_hidden_size,
                                  ", and image_size at least patch_size"));
  }
  return vision;
}

// At the root or in the text config.
absl::StatusOr<int32_t> ImageTokenId(const JsonObject& root, const JsonObject& text) {
  const Json* id = FindPresent(root, "image_token_id");
  if (id == nullptr) id = FindPresent(text, "image_token_id");
  if (id == nullptr) return BadConfig("image_token_id is missing");
  if (!id->is_int64() || id->as_int64() < 0 || id->as_int64() > kMaxVocabulary) {
    return BadConfig(absl::StrCat("image_token_id is ", ConfigValueText(*id), ", not a token id"));
  }
  return static_cast<int32_t>(id->as_int64());
}

}  // namespace

absl::StatusOr<std::string> ArchitectureOf(const JsonObject& config) {
  const Json* names = FindPresent(config, "architectures");
  if (names == nullptr || !names->is_array() || names->as_array().size() != 1 ||
      !names->as_array()[0].is_string()) {
    return BadConfig("architectures does not name exactly one class");
  }
  return absl::CHexEscape(ToAbsl(names->as_array()[0].as_string()).substr(0, 100));
}

absl::StatusOr<Glm4vConfig> ParseGlm4vConfig(const JsonObject& config) {
  Glm4vConfig parsed;
  ASSIGN_OR_RETURN(const JsonObject* text, ConfigObject(config, "text_config"));
  ASSIGN_OR_RETURN(const JsonObject* vision, ConfigObject(config, "vision_config"));
  ASSIGN_OR_RETURN(parsed.text, ParseText(config));
  ASSIGN_OR_RETURN(parsed.vision, ParseVision(*vision, parsed.text.hidden_size));
  ASSIGN_OR_RETURN(parsed.image_token_id, ImageTokenId(config, *text));
  return parsed;
}

absl::StatusOr<JsonObject> ReadConfig(const std::string& path) {
  if (IsGgufPath(path)) return ReadGgufConfig(path);
  const std::string file = absl::StrCat(path, "/config.json");
  ASSIGN_OR_RETURN(const std::string text, ReadFile(file, kMaxConfigBytes));
  absl::StatusOr<Json> config = ParseJson(text);
  if (!config.ok()) return Annotate(config.status(), file);
  if (!config->is_object()) {
    return absl::InvalidArgumentError(absl::StrCat(file, ": not an object"));
  }
  return std::move(config->as_object());
}

}  // namespace switchboard::model
