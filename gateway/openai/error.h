// Errors of the API. Inside the gateway an error is an absl::Status whose payloads carry what
// OpenAI's error object needs beyond the message; at the edge it becomes an HTTP status, headers
// and a body.
#ifndef SWITCHBOARD_GATEWAY_OPENAI_ERROR_H_
#define SWITCHBOARD_GATEWAY_OPENAI_ERROR_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "base/json.h"

namespace switchboard::openai {

// An error with this `code` slug ("invalid_type", "model_not_found", ...), which also decides the
// HTTP status; an unknown slug is a 400. `param` is a path like messages[2].content[0].text, or
// empty.
absl::Status Error(absl::string_view code, absl::string_view param, absl::string_view message);

// context_length_exceeded: the prompt leaves no room in the context of the model for an answer.
// `exact` is false when it was refused before it was counted to its end.
absl::Status PromptTooLong(absl::string_view param, int64_t context, int64_t prompt_tokens,
                           bool exact);
// context_length_exceeded: the prompt and the output asked for by `param` are too long together.
absl::Status OutputTooLong(absl::string_view param, int64_t context, int64_t prompt_tokens,
                           int64_t requested_output);

// `status` with a hint when to come back: the Retry-After of a 503.
absl::Status WithRetryAfter(absl::Status status, absl::Duration retry_after);

// What the client gets for an error.
struct ErrorReply {
  int status = 500;
  std::string code;
  std::string body;                                          // {"error": {...}}
  std::vector<std::pair<std::string, std::string>> headers;  // Retry-After, x-should-retry, ...
};

// Statuses without a slug are told apart by their code, e.g. kUnavailable is 503 no_healthy_worker.
// The message of kInternal and kUnknown is not shown: it may speak of things inside. REQUIRES: not
// OK.
ErrorReply ToErrorReply(const absl::Status& status);

}  // namespace switchboard::openai

#endif  // SWITCHBOARD_GATEWAY_OPENAI_ERROR_H_
