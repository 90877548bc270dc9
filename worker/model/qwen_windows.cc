#include "worker/model/qwen_windows.h"

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "worker/model/config_fields.h"

namespace switchboard::model {
namespace {

// For each layer, whether it has the window.
absl::StatusOr<std::vector<bool>> WindowLayers(const JsonObject& text, int layers) {
  std::vector<bool> has;
  const Json* types = FindPresent(text, "layer_types");
  if (types == nullptr) {
    ConfigFields fields(&text, "");
    const int first = fields.Int("max_window_layers", 0, kMaxLayers);
    RETURN_IF_ERROR(fields.status());
    for (int i = 0; i < layers; ++i) has.push_back(i >= first);
    return has;
  }
  if (!types->is_array() || types->as_array().size() != static_cast<size_t>(layers)) {
    return BadConfig(absl::StrCat("layer_types is not a list of ", layers, " names"));
  }
  for (const Json& type : types->as_array()) {
    const absl::string_view name = type.is_string() ? ToAbsl(type.as_string()) : "";
    if (name != "full_attention" && name != "sliding_attention") {
      return BadConfig(absl::StrCat("layer_types holds ", ConfigValueText(type),
                                    "; full_attention and sliding_attention are supported"));
    }
    has.push_back(name == "sliding_attention");
  }
  return has;
}

}  // namespace

absl::StatusOr<std::vector<int>> ParseQwenWindows(const JsonObject& text, int layers) {
  ConfigFields fields(&text, "");
  const bool used = fields.Flag("use_sliding_window") && fields.Has("sliding_window");
  const int window = used ? fields.Int("sliding_window", 1, kMaxPositions) : 0;
  RETURN_IF_ERROR(fields.status());
  std::vector<int> windows;
  if (!used) return windows;
  ASSIGN_OR_RETURN(const std::vector<bool> has, WindowLayers(text, layers));
  for (const bool with : has) windows.push_back(with ? window : 0);
  return windows;
}

}  // namespace switchboard::model
