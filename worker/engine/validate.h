// The check of a request before it is queued.
#ifndef SWITCHBOARD_WORKER_ENGINE_VALIDATE_H_
#define SWITCHBOARD_WORKER_ENGINE_VALIDATE_H_

#include "absl/status/status.h"
#include "worker/engine/options.h"
#include "worker/engine/request.h"
#include "worker/model/model.h"

namespace switchboard::engine {

// Choices of a request at most, and of logprobs at one place.
inline constexpr int kMaxChoices = 128;
inline constexpr int kMaxTopLogprobs = 20;

// InvalidArgument naming the field when a value is out of range (not a number counts as out of
// range). After it, any sequence of the request fits into the KV cache and every id may be used as
// an index.
absl::Status ValidateRequest(const Request& request, const EngineOptions& options,
                             const model::ModelShape& shape);

}  // namespace switchboard::engine

#endif  // SWITCHBOARD_WORKER_ENGINE_VALIDATE_H_
