// The `messages` of a chat request.
#ifndef SWITCHBOARD_GATEWAY_OPENAI_MESSAGES_H_
#define SWITCHBOARD_GATEWAY_OPENAI_MESSAGES_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "base/json.h"
#include "gateway/openai/content_part.h"

namespace switchboard::openai {

// More are refused at once: each costs tokens of a context that is shorter than this.
inline constexpr size_t kMaxMessages = 16384;
// Of all messages together, likewise: content parts, and tool calls.
inline constexpr size_t kMaxContentParts = 16384;
inline constexpr size_t kMaxToolCalls = 16384;
// Of the arguments of all tool calls, which are JSON within the request's JSON.
inline constexpr size_t kMaxArgumentBytes = size_t{4} << 20;
// Items of the list `images`; how many images a request may have is the model's business.
inline constexpr size_t kMaxListedImages = 1024;

struct Conversation {
  // As the chat template is to see them: role, content (see content_part.h; absent for an assistant
  // that only called tools) and, where given, name, reasoning_content, tool_call_id and tool_calls
  // with their arguments as objects. Never empty. The role `function` became `tool`.
  JsonArray messages;
  // One for each image part of all messages, in order.
  std::vector<ImageSource> images;
  // The last message is an assistant's and says that it is to be continued (`prefix: true`).
  bool continues_last = false;
};

// Reads `messages` and puts the images of the list `images` (may be null) in front of the last user
// message. InvalidArgument names the message and the member.
absl::StatusOr<Conversation> ReadConversation(const JsonArray& messages, const JsonArray* images);

}  // namespace switchboard::openai

#endif  // SWITCHBOARD_GATEWAY_OPENAI_MESSAGES_H_
