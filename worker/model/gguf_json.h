// Values of a GGUF file's metadata as JSON.
#ifndef SWITCHBOARD_WORKER_MODEL_GGUF_JSON_H_
#define SWITCHBOARD_WORKER_MODEL_GGUF_JSON_H_

#include "absl/status/statusor.h"
#include "base/json.h"
#include "worker/model/gguf_metadata.h"

namespace switchboard::model {

// Whole numbers, doubles (a float32 exactly), bools, strings, or an array of them. InvalidArgument,
// naming the key, for a string that is not UTF-8 and a float that is not finite, which JSON cannot
// hold.
absl::StatusOr<Json> GgufJson(const GgufValue& value);

}  // namespace switchboard::model

#endif  // SWITCHBOARD_WORKER_MODEL_GGUF_JSON_H_
