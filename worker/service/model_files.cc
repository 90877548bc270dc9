#include "worker/service/model_files.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <set>

#include "absl/strings/str_cat.h"
#include "base/mapped_file.h"
#include "base/status_macros.h"
#include "base/utf8.h"
#include "text/tokenizer/tokenizer_folder.h"
#include "worker/model/gguf.h"
#include "worker/model/gguf_config.h"
#include "worker/service/gguf_files.h"

namespace switchboard::worker {
namespace {

constexpr absl::string_view kProcessorFile = "preprocessor_config.json";
constexpr size_t kMaxConfigBytes = size_t{16} << 20;
// Beyond these a penalty is a slip of the pen; as floats they divide and multiply without overflow.
constexpr double kLeastPenalty = 0.01, kMostPenalty = 100;
// What Glm4vImageProcessor takes when preprocessor_config.json is silent.
constexpr int64_t kDefaultMinPixels = 112 * 112, kDefaultMaxPixels = 28 * 28 * 15000;

absl::Status Bad(absl::string_view file, absl::string_view key, absl::string_view problem) {
  return absl::InvalidArgumentError(absl::StrCat(file, ": \"", key, "\" ", problem));
}

// A JSON object file; an absent one is an empty object.
absl::StatusOr<JsonObject> ReadObject(const std::string& folder, absl::string_view name) {
  absl::StatusOr<std::string> text = ReadFile(absl::StrCat(folder, "/", name), kMaxConfigBytes);
  if (absl::IsNotFound(text.status())) return JsonObject();
  RETURN_IF_ERROR(text.status());
  absl::StatusOr<Json> value = ParseJson(*text);
  if (!value.ok()) return Annotate(value.status(), name);
  if (!value->is_object())
    return absl::InvalidArgumentError(absl::StrCat(name, " is no JSON object"));
  return std::move(value->get_object());
}

absl::StatusOr<std::optional<double>> Number(const JsonObject& object, absl::string_view file,
                                             absl::string_view key) {
  const Json* value = FindPresent(object, key);
  if (value == nullptr) return std::nullopt;
  if (!value->is_number()) return Bad(file, key, "is no number");
  return value->to_number<double>();
}

absl::StatusOr<std::optional<int64_t>> Whole(const JsonObject& object, absl::string_view file,
                                             absl::string_view key) {
  ASSIGN_OR_RETURN(const std::optional<double> value, Number(object, file, key));
  if (!value.has_value()) return std::nullopt;
  if (*value != std::floor(*value) || std::abs(*value) > 1e15)
    return Bad(file, key, "is no whole number");
  return static_cast<int64_t>(*value);
}

absl::Status ReadSampling(const JsonObject& config, SamplingDefaults* out) {
  constexpr absl::string_view kFile = "generation_config.json";
  const auto real = [&](absl::string_view key, double least, double most,
                        std::optional<float>* target) -> absl::Status {
    ASSIGN_OR_RETURN(const std::optional<double> value, Number(config, kFile, key));
    if (!value.has_value()) return absl::OkStatus();
    if (!(*value >= least && *value <= most)) {
      return Bad(kFile, key, absl::StrCat("must be from ", least, " to ", most));
    }
    *target = static_cast<float>(*value);
    return absl::OkStatus();
  };
  const auto whole = [&](absl::string_view key, int64_t least,
                         std::optional<int>* target) -> absl::Status {
    ASSIGN_OR_RETURN(const std::optional<int64_t> value, Whole(config, kFile, key));
    if (!value.has_value()) return absl::OkStatus();
    if (*value < least || *value > INT32_MAX) {
      return Bad(kFile, key, absl::StrCat("must be from ", least, " to ", INT32_MAX));
    }
    *target = static_cast<int>(*value);
    return absl::OkStatus();
  };
  // The ranges of the protocol's Sampling.
  RETURN_IF_ERROR(real("temperature", 0, 2, &out->temperature));
  RETURN_IF_ERROR(real("top_p", 0, 1, &out->top_p));
  RETURN_IF_ERROR(real("min_p", 0, 1, &out->min_p));
  RETURN_IF_ERROR(
      real("repetition_penalty", kLeastPenalty, kMostPenalty, &out->repetition_penalty));
  RETURN_IF_ERROR(whole("top_k", 0, &out->top_k));
  RETURN_IF_ERROR(whole("max_new_tokens", 1, &out->max_new_tokens));
  const Json* sample = FindPresent(config, "do_sample");
  if (sample != nullptr && sample->is_bool() && !sample->get_bool() &&
      !out->temperature.has_value()) {
    out->temperature = 0.0f;
  }
  return absl::OkStatus();
}

// Adds the end tokens that `object` names: a number or a list of numbers.
absl::Status AddEosIds(const JsonObject& object, absl::string_view file, std::set<int32_t>* ids) {
  const Json* value = FindPresent(object, "eos_token_id");
  if (value == nullptr) return absl::OkStatus();
  const JsonArray list = value->is_array() ? value->get_array() : JsonArray{*value};
  for (const Json& id : list) {
    if (!id.is_int64() || id.get_int64() < 0 || id.get_int64() > INT32_MAX) {
      return Bad(file, "eos_token_id", "holds something that is no token id");
    }
    ids->insert(static_cast<int32_t>(id.get_int64()));
  }
  return absl::OkStatus();
}

// A token as tokenizer_config.json writes it: a string, or an object with "content".
std::string TokenText(const JsonObject& config, absl::string_view key) {
  const Json* value = FindPresent(config, key);
  if (value != nullptr && value->is_object()) value = FindPresent(value->get_object(), "content");
  return value != nullptr && value->is_string() ? std::string(ToAbsl(value->get_string())) : "";
}

absl::StatusOr<std::string> ReadTemplate(const std::string& folder,
                                         const JsonObject& tokenizer_config) {
  absl::StatusOr<std::string> text =
      ReadFile(absl::StrCat(folder, "/chat_template.jinja"), kMaxConfigBytes);
  if (text.ok() || !absl::IsNotFound(text.status())) return text;
  const Json* inside = FindPresent(tokenizer_config, "chat_template");
  if (inside == nullptr) return std::string();
  if (inside->is_string()) return std::string(ToAbsl(inside->get_string()));
  if (!inside->is_array())
    return Bad("tokenizer_config.json", "chat_template", "is neither text nor a list");
  for (const Json& entry : inside->get_array()) {  // several named ones: the default counts
    if (!entry.is_object() || TokenText(entry.get_object(), "name") != "default") continue;
    return TokenText(entry.get_object(), "template");
  }
  return Bad("tokenizer_config.json", "chat_template", "has no template named default");
}

// Texts of the tokens that tokenizer.json names, by id: added tokens and the vocabulary's highest
// id.
struct TokenNames {
  int highest = -1;
  std::vector<std::pair<int32_t, std::string>> added;

  std::string Text(int32_t id) const {
    for (const auto& [known, text] : added) {
      if (known == id) return text;
    }
    return "";
  }
};

absl::StatusOr<TokenNames> ReadTokenNames(absl::string_view tokenizer_json) {
  constexpr absl::string_view kFile = "tokenizer.json";
  absl::StatusOr<Json> root = ParseJson(tokenizer_json);
  if (!root.ok()) return Annotate(root.status(), kFile);
  if (!root->is_object()) return absl::InvalidArgumentError("tokenizer.json is no JSON object");
  TokenNames names;
  const auto note = [&](const Json& id) {
    if (id.is_int64() && id.get_int64() >= 0 && id.get_int64() < INT32_MAX) {
      names.highest = std::max(names.highest, static_cast<int>(id.get_int64()));
    }
  };
  const Json* model = FindPresent(root->get_object(), "model");
  const Json* vocab =
      model != nullptr && model->is_object() ? FindPresent(model->get_object(), "vocab") : nullptr;
  if (vocab == nullptr || !vocab->is_object()) return Bad(kFile, "model.vocab", "is missing");
  for (const auto& entry : vocab->get_object()) note(entry.value());
  const Json* added = FindPresent(root->get_object(), "added_tokens");
  if (added == nullptr || !added->is_array()) return names;
  for (const Json& token : added->get_array()) {
    const Json* id = token.is_object() ? FindPresent(token.get_object(), "id") : nullptr;
    if (id == nullptr || !id->is_int64())
      return Bad(kFile, "added_tokens", "has an entry without id");
    if (id->get_int64() < 0 || id->get_int64() >= INT32_MAX) {
      return Bad(kFile, "added_tokens", absl::StrCat("has the id ", id->get_int64()));
    }
    note(*id);
    names.added.emplace_back(static_cast<int32_t>(id->get_int64()),
                             TokenText(token.get_object(), "content"));
  }
  return names;
}

// A positive whole number of preprocessor_config.json, or `otherwise`.
absl::StatusOr<int64_t> Size(const JsonObject& object, absl::string_view key, int64_t otherwise,
                             int64_t most) {
  ASSIGN_OR_RETURN(const std::optional<int64_t> value, Whole(object, kProcessorFile, key));
  if (value.has_value() && (*value < 1 || *value > most)) {
    return Bad(kProcessorFile, key, absl::StrCat("must be from 1 to ", most));
  }
  return value.value_or(otherwise);
}

absl::StatusOr<media::PatchGrid> ReadPatchGrid(const JsonObject& processor) {
  media::PatchGrid grid;
  ASSIGN_OR_RETURN(const int64_t patch, Size(processor, "patch_size", grid.patch_size, 1024));
  ASSIGN_OR_RETURN(const int64_t merge, Size(processor, "merge_size", grid.merge_size, 64));
  ASSIGN_OR_RETURN(const int64_t temporal,
                   Size(processor, "temporal_patch_size", grid.temporal_patch_size, 64));
  grid.patch_size = static_cast<int>(patch);
  grid.merge_size = static_cast<int>(merge);
  grid.temporal_patch_size = static_cast<int>(temporal);
  const Json* size = FindPresent(processor, "size");
  const JsonObject bounds =
      size != nullptr && size->is_object() ? size->get_object() : JsonObject();
  ASSIGN_OR_RETURN(grid.min_pixels,
                   Size(bounds, "shortest_edge", kDefaultMinPixels, media::kMaxPixelBudget));
  ASSIGN_OR_RETURN(grid.max_pixels,
                   Size(bounds, "longest_edge", kDefaultMaxPixels, media::kMaxPixelBudget));
  if (grid.min_pixels > grid.max_pixels) {
    return Bad(kProcessorFile, "size.shortest_edge", "is above longest_edge");
  }
  return grid;
}

absl::Status ReadChannels(const JsonObject& processor, absl::string_view key,
                          std::array<float, 3>* channels) {
  const Json* list = FindPresent(processor, key);
  if (list == nullptr) return absl::OkStatus();
  if (!list->is_array() || list->get_array().size() != 3) {
    return Bad(kProcessorFile, key, "is no list of 3 numbers");
  }
  for (size_t i = 0; i < 3; ++i) {
    const Json& value = list->get_array()[i];
    if (!value.is_number()) return Bad(kProcessorFile, key, "is no list of 3 numbers");
    (*channels)[i] = static_cast<float>(value.to_number<double>());
  }
  return absl::OkStatus();
}

// The added token whose id config.json gives under `key`.
absl::StatusOr<std::pair<int32_t, std::string>> MarkerToken(const JsonObject& config,
                                                            const TokenNames& names,
                                                            absl::string_view key) {
  ASSIGN_OR_RETURN(const std::optional<int64_t> id, Whole(config, "config.json", key));
  if (!id.has_value() || *id < 0 || *id > names.highest) {
    return Bad("config.json", key, "is no id of the tokenizer");
  }
  std::string text = names.Text(static_cast<int32_t>(*id));
  if (text.empty()) return Bad("config.json", key, "is no added token of tokenizer.json");
  return std::make_pair(static_cast<int32_t>(*id), std::move(text));
}

absl::StatusOr<ImageRules> ReadImageRules(const JsonObject& config, const JsonObject& processor,
                                          const TokenNames& names) {
  ImageRules rules;
  ASSIGN_OR_RETURN(rules.grid, ReadPatchGrid(processor));
  RETURN_IF_ERROR(ReadChannels(processor, "image_mean", &rules.normalization.mean));
  RETURN_IF_ERROR(ReadChannels(processor, "image_std", &rules.normalization.deviation));
  for (float value : rules.normalization.deviation) {
    if (!(value > 0)) return Bad(kProcessorFile, "image_std", "must be positive");
  }
  ASSIGN_OR_RETURN(const auto image, MarkerToken(config, names, "image_token_id"));
  ASSIGN_OR_RETURN(const auto begin, MarkerToken(config, names, "image_start_token_id"));
  ASSIGN_OR_RETURN(const auto end, MarkerToken(config, names, "image_end_token_id"));
  rules.image_token_id = image.first;
  rules.image_token = image.second;
  rules.placeholder = absl::StrCat(begin.second, image.second, end.second);
  return rules;
}

absl::StatusOr<ModelFiles> ReadFolder(const std::string& folder) {
  ModelFiles files;
  ASSIGN_OR_RETURN(files.tokenizer_json, text::ReadTokenizerFolder(folder));
  ASSIGN_OR_RETURN(const TokenNames names, ReadTokenNames(files.tokenizer_json));
  ASSIGN_OR_RETURN(const JsonObject config, ReadObject(folder, "config.json"));
  ASSIGN_OR_RETURN(const JsonObject generation, ReadObject(folder, "generation_config.json"));
  ASSIGN_OR_RETURN(const JsonObject tokenizer_config, ReadObject(folder, "tokenizer_config.json"));
  ASSIGN_OR_RETURN(files.chat_template, ReadTemplate(folder, tokenizer_config));
  files.usable_vocab = names.highest + 1;
  files.bos_token = TokenText(tokenizer_config, "bos_token");
  files.eos_token = TokenText(tokenizer_config, "eos_token");
  std::set<int32_t> eos;
  RETURN_IF_ERROR(AddEosIds(config, "config.json", &eos));
  const Json* text_config = FindPresent(config, "text_config");
  if (text_config != nullptr && text_config->is_object()) {
    RETURN_IF_ERROR(AddEosIds(text_config->get_object(), "config.json", &eos));
  }
  RETURN_IF_ERROR(AddEosIds(generation, "generation_config.json", &eos));
  files.eos_token_ids.assign(eos.begin(), eos.end());
  RETURN_IF_ERROR(ReadSampling(generation, &files.sampling));
  if (FindPresent(config, "vision_config") != nullptr) {
    ASSIGN_OR_RETURN(const JsonObject processor, ReadObject(folder, "preprocessor_config.json"));
    ASSIGN_OR_RETURN(files.images, ReadImageRules(config, processor, names));
  }
  return files;
}

}  // namespace

absl::StatusOr<ModelFiles> ReadModelFiles(const std::string& path) {
  if (!model::IsGgufPath(path)) return ReadFolder(path);
  ASSIGN_OR_RETURN(const std::unique_ptr<model::GgufModel> gguf, model::GgufModel::Open(path));
  absl::StatusOr<ModelFiles> files = GgufModelFiles(gguf->content().metadata);
  if (!files.ok()) return Annotate(files.status(), path);
  return files;
}

absl::Status ReplaceTokenizer(const std::string& folder, ModelFiles* files) {
  ASSIGN_OR_RETURN(std::string json, text::ReadTokenizerFolder(folder));
  ASSIGN_OR_RETURN(const TokenNames names, ReadTokenNames(json));
  ASSIGN_OR_RETURN(const JsonObject config, ReadObject(folder, "tokenizer_config.json"));
  files->tokenizer_json = std::move(json);
  files->usable_vocab = names.highest + 1;
  if (config.empty()) return absl::OkStatus();
  files->bos_token = TokenText(config, "bos_token");
  files->eos_token = TokenText(config, "eos_token");
  return absl::OkStatus();
}

absl::Status ReplaceTemplate(const std::string& path, ModelFiles* files) {
  ASSIGN_OR_RETURN(std::string text, ReadFile(path, kMaxConfigBytes));
  if (!IsValidUtf8(text)) return absl::InvalidArgumentError(absl::StrCat(path, " is not UTF-8"));
  files->chat_template = std::move(text);
  return absl::OkStatus();
}

int MaxImageTokens(const ImageRules& rules) {
  const int64_t side = int64_t{1} * rules.grid.patch_size * rules.grid.merge_size;
  // A still image counts temporal_patch_size frames against max_pixels.
  return static_cast<int>(
      std::max<int64_t>(1, rules.grid.max_pixels / rules.grid.temporal_patch_size / side / side));
}

absl::Status ApplyProcessorKwargs(const std::string& json, ImageRules* rules) {
  constexpr absl::string_view kFlag = "--mm-processor-kwargs";
  absl::StatusOr<Json> value = ParseJson(json);
  if (!value.ok()) return Annotate(value.status(), kFlag);
  if (!value->is_object())
    return absl::InvalidArgumentError(absl::StrCat(kFlag, " is no JSON object"));
  for (const auto& [key, unused] : value->get_object()) {
    ASSIGN_OR_RETURN(const std::optional<int64_t> pixels,
                     Whole(value->get_object(), kFlag, ToAbsl(key)));
    if (!pixels.has_value() || *pixels < 1 || *pixels > media::kMaxPixelBudget) {
      return Bad(kFlag, ToAbsl(key),
                 absl::StrCat("must be a whole number from 1 to ", media::kMaxPixelBudget));
    }
    if (key == "min_pixels") {
      rules->grid.min_pixels = *pixels;
    } else if (key == "max_pixels") {
      rules->grid.max_pixels = *pixels;
    } else {
      return Bad(kFlag, ToAbsl(key), "is not known; known are min_pixels and max_pixels");
    }
  }
  if (rules->grid.min_pixels > rules->grid.max_pixels)
    return Bad(kFlag, "min_pixels", "is above max_pixels");
  return absl::OkStatus();
}

}  // namespace switchboard::worker
