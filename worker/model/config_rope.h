// The rotary part of a config.json, in the layouts of transformers 4 and 5.
#ifndef SWITCHBOARD_WORKER_MODEL_CONFIG_ROPE_H_
#define SWITCHBOARD_WORKER_MODEL_CONFIG_ROPE_H_

#include "absl/status/statusor.h"
#include "base/json.h"
#include "worker/model/config.h"

namespace switchboard::model {

// The object with the rope keys besides the text config itself: `rope_parameters` (transformers 5)
// or `rope_scaling` (before), else an empty one. InvalidArgument when it is no object, or holds an
// object per layer type.
absl::StatusOr<JsonObject> RopeObject(const JsonObject& text);

// rope_theta, partial_rotary_factor (each inside the rope object or beside it; absent: 10000 and
// `part`) and the scaling that rope_type (or its old name, type) says: default, linear, llama3, or
// divisors (of GGUF files). Any other type is InvalidArgument and named. Every pair turns with the
// first axis.
absl::StatusOr<RotaryConfig> ParseRotary(const JsonObject& text, int head_dim, double part,
                                         RotaryPairs layout);

}  // namespace switchboard::model

#endif  // SWITCHBOARD_WORKER_MODEL_CONFIG_ROPE_H_
