// POST /v1/completions: the request as this server understands it.
#ifndef SWITCHBOARD_GATEWAY_OPENAI_COMPLETION_REQUEST_H_
#define SWITCHBOARD_GATEWAY_OPENAI_COMPLETION_REQUEST_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "base/json.h"
#include "gateway/openai/output_fields.h"
#include "gateway/openai/sampling.h"

namespace switchboard::openai {

inline constexpr int kDefaultCompletionTokens = 16;
// Beyond the context of any model that is served; bounds the memory of a request.
inline constexpr size_t kMaxPromptIds = size_t{1} << 20;

struct CompletionRequest {
  std::string model;  // empty: the only one there is
  // One prompt: text, or ids that are used as they stand. Several prompts in a request are refused.
  std::string prompt;
  std::optional<std::vector<int64_t>> prompt_ids;
  bool add_special_tokens = true;
  bool echo = false;  // the prompt's text in front of the answer; not with logprobs
  SamplingFields sampling;
  OutputFields output;
  std::optional<int> logprobs;  // how many alternatives beside the chosen token
  int ignored_fields = 0;
};

// As ReadChatRequest; the result is independent of `body`.
absl::StatusOr<CompletionRequest> ReadCompletionRequest(const JsonObject& body);

}  // namespace switchboard::openai

#endif  // SWITCHBOARD_GATEWAY_OPENAI_COMPLETION_REQUEST_H_
