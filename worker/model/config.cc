#include "worker/model/config.h"

#include <cmath>
#include <limits>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "base/mapped_file.h"
#include "base/status_macros.h"
#include "worker/model/gguf_config.h"

namespace switchboard::model {
namespace {

constexpr size_t kMaxConfigBytes = size_t{4} << 20;
// Wide limits that keep products of sizes within 64 bits.
constexpr int64_t kMaxWidth = 1 << 18;
constexpr int64_t kMaxVocabulary = 1 << 24;
constexpr int64_t kMaxLayers = 4096;
constexpr int64_t kMaxHeads = 4096;
constexpr int64_t kMaxPositions = 1 << 24;
constexpr double kAbsent = std::numeric_limits<double>::quiet_NaN();

absl::Status Bad(absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("config.json: ", what));
}

std::string ValueText(const Json& value) { return SerializeJson(value).substr(0, 80); }

// Reads the keys of one object; the first error stays. An absent key takes the default, or is an
// error where there is none.
class Fields {
 public:
  Fields(const JsonObject* object, std::string path) : object_(object), path_(std::move(path)) {}

  int Int(absl::string_view key, int64_t lowest, int64_t highest, int64_t absent = -1) {
    const Json* value = FindPresent(*object_, key);
    if (value == nullptr) {
      if (absent < 0) Fail(absl::StrCat(path_, key, " is missing"));
      return static_cast<int>(absent);
    }
    if (value->is_int64() && value->as_int64() >= lowest && value->as_int64() <= highest) {
      return static_cast<int>(value->as_int64());
    }
    Fail(absl::StrCat(path_, key, " is ", ValueText(*value), ", not a whole number from ", lowest,
                      " to ", highest));
    return static_cast<int>(lowest);
  }

  double Number(absl::string_view key, double lowest, double highest, double absent = kAbsent) {
    const Json* value = FindPresent(*object_, key);
    if (value == nullptr) {
      if (std::isnan(absent)) Fail(absl::StrCat(path_, key, " is missing"));
      return absent;
    }
    const double number = value->is_number() ? value->to_number<double>() : kAbsent;
    if (number >= lowest && number <= highest) return number;
    Fail(absl::StrCat(path_, key, " is ", ValueText(*value), ", not a number from ", lowest, " to ",
                      highest));
    return lowest;
  }

  bool Flag(absl::string_view key) {
    const Json* value = FindPresent(*object_, key);
    if (value == nullptr) return false;
    if (!value->is_bool()) Fail(absl::StrCat(path_, key, " is not true or false"));
    return value->is_bool() && value->as_bool();
  }

  void MustBe(absl::string_view key, absl::string_view expected) {
    const Json* value = FindPresent(*object_, key);
    if (value == nullptr || (value->is_string() && ToAbsl(value->as_string()) == expected)) return;
    Fail(absl::StrCat(path_, key, " is ", ValueText(*value), "; only \"", expected,
                      "\" is supported"));
  }

  void Fail(std::string what) {
    if (status_.ok()) status_ = Bad(what);
  }
  const absl::Status& status() const { return status_; }

 private:
  const JsonObject* const object_;
  const std::string path_;
  absl::Status status_;
};

absl::StatusOr<const JsonObject*> ObjectAt(const JsonObject& config, absl::string_view key) {
  const Json* value = FindPresent(config, key);
  if (value == nullptr || !value->is_object()) return Bad(absl::StrCat(key, " is not an object"));
  return &value->as_object();
}

// The object with the rope keys besides the text config itself: `rope_parameters` (transformers 5)
// or `rope_scaling` (before), else an empty one.
absl::StatusOr<JsonObject> RopeObject(const JsonObject& text) {
  for (const absl::string_view key : {"rope_parameters", "rope_scaling"}) {
    if (FindPresent(text, key) == nullptr) continue;
    ASSIGN_OR_RETURN(const JsonObject* rope, ObjectAt(text, key));
    return *rope;
  }
  return JsonObject();
}

// Inside the rope object, else in the text config, else the default.
double RopeNumber(const JsonObject& rope, Fields* in_rope, Fields* in_text, absl::string_view key,
                  double lowest, double highest, double absent) {
  if (FindPresent(rope, key) != nullptr) return in_rope->Number(key, lowest, highest);
  return in_text->Number(key, lowest, highest, absent);
}

absl::Status CheckRopeType(const JsonObject& rope) {
  for (const absl::string_view key : {"rope_type", "type"}) {
    const Json* type = FindPresent(rope, key);
    if (type == nullptr) continue;
    const absl::string_view name = type->is_string() ? ToAbsl(type->as_string()) : "";
    if (name == "default" || name == "mrope") continue;
    return Bad(absl::StrCat("rope type ", ValueText(*type),
                            " is not supported by this family; only "
                            "\"default\" is"));
  }
  return absl::OkStatus();
}

absl::Status ReadSections(const JsonObject& rope, TextConfig* text) {
  text->mrope_section = {8, 12, 12};
  const Json* sections = FindPresent(rope, "mrope_section");
  int sum = 32;
  if (sections != nullptr) {
    if (!sections->is_array() || sections->as_array().size() != 3) {
      return Bad("mrope_section is not an array of three numbers");
    }
    sum = 0;
    for (size_t i = 0; i < 3; ++i) {
      const Json& size = sections->as_array()[i];
      if (!size.is_int64() || size.as_int64() < 0 || size.as_int64() > kMaxWidth) {
        return Bad(absl::StrCat("mrope_section has the value ", ValueText(size)));
      }
      sum += text->mrope_section[i] = static_cast<int>(size.as_int64());
    }
  }
  if (sum != text->rotary_pairs) {
    return Bad(absl::StrCat("mrope_section sums to ", sum, ", the rotary part of a head has ",
                            text->rotary_pairs, " pairs"));
  }
  return absl::OkStatus();
}

absl::Status ReadRope(const JsonObject& object, Fields* fields, TextConfig* text) {
  ASSIGN_OR_RETURN(const JsonObject rope, RopeObject(object));
  RETURN_IF_ERROR(CheckRopeType(rope));
  Fields in_rope(&rope, "text_config rope: ");
  text->rope_theta = RopeNumber(rope, &in_rope, fields, "rope_theta", 1.0, 1e12, 10000.0);
  const double part = RopeNumber(rope, &in_rope, fields, "partial_rotary_factor", 1e-3, 1.0, 0.5);
  RETURN_IF_ERROR(in_rope.status());
  RETURN_IF_ERROR(fields->status());
  text->rotary_pairs = static_cast<int>(text->head_dim * part) / 2;
  return ReadSections(rope, text);
}

absl::StatusOr<TextConfig> ParseText(const JsonObject& object) {
  Fields fields(&object, "text_config.");
  TextConfig text;
  text.vocab_size = fields.Int("vocab_size", 1, kMaxVocabulary);
  text.hidden_size = fields.Int("hidden_size", 1, kMaxWidth);
  text.mlp_size = fields.Int("intermediate_size", 1, kMaxWidth);
  text.layers = fields.Int("num_hidden_layers", 1, kMaxLayers);
  text.heads = fields.Int("num_attention_heads", 1, kMaxHeads);
  text.kv_heads = fields.Int("num_key_value_heads", 1, kMaxHeads, text.heads);
  text.rms_norm_eps = static_cast<float>(fields.Number("rms_norm_eps", 0.0, 1.0, 1e-5));
  text.max_positions = fields.Int("max_position_embeddings", 1, kMaxPositions);
  text.tie_word_embeddings = fields.Flag("tie_word_embeddings");
  fields.MustBe("hidden_act", "silu");
  RETURN_IF_ERROR(fields.status());
  if (text.hidden_size % text.heads != 0 || text.heads % text.kv_heads != 0) {
    return Bad(absl::StrCat("text_config: hidden_size ", text.hidden_size, ", ", text.heads,
                            " heads and ", text.kv_heads, " KV heads do not divide evenly"));
  }
  text.head_dim = text.hidden_size / text.heads;
  RETURN_IF_ERROR(ReadRope(object, &fields, &text));
  return text;
}

absl::StatusOr<VisionConfig> ParseVision(const JsonObject& object, int text_hidden_size) {
  Fields fields(&object, "vision_config.");
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
    return Bad(absl::StrCat("vision_config: hidden_size ", vision.hidden_size, " in ", vision.heads,
                            " heads gives no head size that is a multiple of 4"));
  }
  if (vision.position_side == 0 || vision.out_hidden_size != text_hidden_size) {
    return Bad(absl::StrCat("vision_config: out_hidden_size ", vision.out_hidden_size,
                            " must be text_config.hidden_size ", text_hidden_size,
                            ", and image_size at least patch_size"));
  }
  return vision;
}

// At the root or in the text config.
absl::StatusOr<int32_t> ImageTokenId(const JsonObject& root, const JsonObject& text) {
  const Json* id = FindPresent(root, "image_token_id");
  if (id == nullptr) id = FindPresent(text, "image_token_id");
  if (id == nullptr) return Bad("image_token_id is missing");
  if (!id->is_int64() || id->as_int64() < 0 || id->as_int64() > kMaxVocabulary) {
    return Bad(absl::StrCat("image_token_id is ", ValueText(*id), ", not a token id"));
  }
  return static_cast<int32_t>(id->as_int64());
}

}  // namespace

absl::StatusOr<std::string> ArchitectureOf(const JsonObject& config) {
  const Json* names = FindPresent(config, "architectures");
  if (names == nullptr || !names->is_array() || names->as_array().size() != 1 ||
      !names->as_array()[0].is_string()) {
    return Bad("architectures does not name exactly one class");
  }
  return absl::CHexEscape(ToAbsl(names->as_array()[0].as_string()).substr(0, 100));
}

absl::StatusOr<ModelConfig> ParseGlm4vConfig(const JsonObject& config) {
  ModelConfig parsed;
  ASSIGN_OR_RETURN(parsed.architecture, ArchitectureOf(config));
  ASSIGN_OR_RETURN(const JsonObject* text, ObjectAt(config, "text_config"));
  ASSIGN_OR_RETURN(const JsonObject* vision, ObjectAt(config, "vision_config"));
  ASSIGN_OR_RETURN(parsed.text, ParseText(*text));
  ASSIGN_OR_RETURN(parsed.vision, ParseVision(*vision, parsed.text.hidden_size));
  Fields root(&config, "");
  parsed.text.tie_word_embeddings |= root.Flag("tie_word_embeddings");
  RETURN_IF_ERROR(root.status());
  ASSIGN_OR_RETURN(parsed.image_token_id, ImageTokenId(config, *text));
  return parsed;
}

absl::StatusOr<JsonObject> ReadConfig(const std::string& dir) {
  if (IsGgufPath(dir)) return ReadGgufConfig(dir);
  const std::string path = absl::StrCat(dir, "/config.json");
  ASSIGN_OR_RETURN(const std::string text, ReadFile(path, kMaxConfigBytes));
  absl::StatusOr<Json> config = ParseJson(text);
  if (!config.ok()) return Annotate(config.status(), path);
  if (!config->is_object())
    return absl::InvalidArgumentError(absl::StrCat(path, ": not an object"));
  return std::move(config->as_object());
}

}  // namespace switchboard::model
