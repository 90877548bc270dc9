// What the GLM families share.
#ifndef SWITCHBOARD_WORKER_MODEL_GLM_H_
#define SWITCHBOARD_WORKER_MODEL_GLM_H_

#include "absl/status/statusor.h"
#include "base/json.h"
#include "worker/model/config.h"
#include "worker/model/decoder_weights.h"

namespace switchboard::model {

// The config of Glm and Glm4.
absl::StatusOr<TextConfig> ParseGlmConfig(const JsonObject& config);

// A layer of Glm4 and of GLM-4.1V's text: besides the norms before attention and MLP one behind
// each, before the sum.
DecoderLayer ReadSandwichLayer(const TextConfig& config, const LayerReader& reader);

}  // namespace switchboard::model

#endif  // SWITCHBOARD_WORKER_MODEL_GLM_H_
