// Which layers of a Qwen2 or Qwen3 model have a window.
#ifndef SWITCHBOARD_WORKER_MODEL_QWEN_WINDOWS_H_
#define SWITCHBOARD_WORKER_MODEL_QWEN_WINDOWS_H_

#include <vector>

#include "absl/status/statusor.h"
#include "base/json.h"

namespace switchboard::model {

// None unless use_sliding_window is true (sliding_window alone means nothing). Then those that
// layer_types calls "sliding_attention", or, where that key is absent, the later ones: index
// max_window_layers and above. The result is TextConfig::windows.
absl::StatusOr<std::vector<int>> ParseQwenWindows(const JsonObject& text, int layers);

}  // namespace switchboard::model

#endif  // SWITCHBOARD_WORKER_MODEL_QWEN_WINDOWS_H_
