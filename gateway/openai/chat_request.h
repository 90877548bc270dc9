// POST /v1/chat/completions: the request as this server understands it.
#ifndef SWITCHBOARD_GATEWAY_OPENAI_CHAT_REQUEST_H_
#define SWITCHBOARD_GATEWAY_OPENAI_CHAT_REQUEST_H_

#include <string>

#include "absl/status/statusor.h"
#include "base/json.h"
#include "gateway/openai/messages.h"
#include "gateway/openai/output_fields.h"
#include "gateway/openai/sampling.h"

namespace switchboard::openai {

struct ChatRequest {
  std::string model;  // empty: the only one there is
  Conversation conversation;
  // More variables of the chat template: chat_template_kwargs, enable_thinking, reasoning_effort.
  JsonObject template_variables;
  Json documents;  // null or an array
  // Open a new assistant turn, or leave the last one open.
  bool add_generation_prompt = true;
  bool continue_final_message = false;
  SamplingFields sampling;
  OutputFields output;
  ReasoningOutput reasoning = ReasoningOutput::kModelDefault;
  bool logprobs = false;
  int top_logprobs = 0;
  // Members that mean nothing to us. Ignored by rule; counted so that an operator can see them.
  int ignored_fields = 0;
};

// The name in `model`, which may be absent: empty then.
absl::StatusOr<std::string> ReadModelName(const JsonObject& body);

// Checks every field of `body` and reads those that matter. The result holds views into `body`.
// Errors are InvalidArgument (PermissionDenied for chat_template) with `param`.
absl::StatusOr<ChatRequest> ReadChatRequest(const JsonObject& body);

}  // namespace switchboard::openai

#endif  // SWITCHBOARD_GATEWAY_OPENAI_CHAT_REQUEST_H_
