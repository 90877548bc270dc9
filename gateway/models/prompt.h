// From a checked request to token ids.
#ifndef SWITCHBOARD_GATEWAY_MODELS_PROMPT_H_
#define SWITCHBOARD_GATEWAY_MODELS_PROMPT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "base/clock.h"
#include "gateway/models/images.h"
#include "gateway/models/model.h"
#include "gateway/openai/chat_request.h"
#include "gateway/openai/completion_request.h"
#include "text/answer/reasoning_splitter.h"

namespace switchboard::gateway {

struct Prompt {
  std::vector<int32_t> ids;  // at least one; placeholders expanded
  std::vector<PromptImage> images;
  text::Thought thought = text::Thought::kNotOpened;
  std::string text;  // of a completion that is to be echoed; else empty
};

// Renders, tokenises and places images. Moves the messages out of `request`. Errors are the API's:
// a conversation that the template refuses, bad images, a prompt beyond the context (recognised
// early when it is far beyond).
absl::StatusOr<Prompt> BuildChatPrompt(openai::ChatRequest* request, const Model& model,
                                       const Clock& clock);

// The same for a plain prompt, whose text may contain control tokens: its writer writes all of it.
absl::StatusOr<Prompt> BuildCompletionPrompt(const openai::CompletionRequest& request,
                                             const Model& model);

}  // namespace switchboard::gateway

#endif  // SWITCHBOARD_GATEWAY_MODELS_PROMPT_H_
