// From an HTTP request to a call for the router and a plan for the answer: all that is decided
// before anything is generated. Takes milliseconds of CPU for a large body.
#ifndef SWITCHBOARD_GATEWAY_HANDLERS_PREPARE_H_
#define SWITCHBOARD_GATEWAY_HANDLERS_PREPARE_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "base/clock.h"
#include "gateway/handlers/answer.h"
#include "gateway/models/directory.h"
#include "gateway/models/generation.h"
#include "http/message.h"

namespace switchboard::gateway {

struct Prepared {
  GenerateCall call;
  AnswerPlan plan;
  bool streamed = false;
  int ignored_fields = 0;
};

// POST /v1/chat/completions and POST /v1/completions. `drawn_seed` is for a request without a seed.
// Errors are the API's.
absl::StatusOr<Prepared> PrepareChat(const http::Request& request, const DirectorySnapshot& models,
                                     const Clock& clock, uint64_t drawn_seed);
absl::StatusOr<Prepared> PrepareCompletion(const http::Request& request,
                                           const DirectorySnapshot& models, const Clock& clock,
                                           uint64_t drawn_seed);

}  // namespace switchboard::gateway

#endif  // SWITCHBOARD_GATEWAY_HANDLERS_PREPARE_H_
