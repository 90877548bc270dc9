// From an OpenAI-style message list to a prompt: what happens to messages before a chat template
// sees them.
#ifndef SWITCHBOARD_TEXT_CHAT_PROMPT_H_
#define SWITCHBOARD_TEXT_CHAT_PROMPT_H_

#include <string>

#include "absl/status/statusor.h"
#include "base/clock.h"
#include "base/json.h"
#include "text/marked_text.h"
#include "text/template/chat_template.h"

namespace switchboard::text {

// How a message's list of parts reaches the template.
enum class ContentFormat {
  // As one string: the placeholders of its images, then its texts, all joined by newlines (the
  // layout
  // AutoGLM was served with).
  kString,
  // As the list, for templates that walk it and write the placeholders themselves. Lists of text
  // alone still become strings where a template might print them as they are (see messages.h).
  kOpenAi,
};

struct ChatPromptInput {
  // Validated OpenAI messages: objects with a role; content is a string, null or a list of parts.
  JsonArray messages;
  Json tools, documents;  // null when absent
  // chat_template_kwargs; more variables for the template. `messages`, `tools`, `documents` and
  // `add_generation_prompt` in it are ignored.
  JsonObject template_kwargs;
  bool add_generation_prompt = true;
  // The prompt ends inside the last message, whose text the model goes on with.
  bool continue_final_message = false;
  std::string bos_token, eos_token;  // empty when the model has none
  ContentFormat content_format = ContentFormat::kString;
  // What stands for one image in "string" format, e.g. <|begin_of_image|><|image|><|end_of_image|>.
  std::string image_placeholder;
};

struct ChatPrompt {
  // What clients wrote is data; the template, placeholders and role names are literal.
  MarkedText text;
  int images = 0;  // image parts in all messages, in order
};

// InvalidArgument with the template's message when it refuses the conversation, or naming the
// message and part that cannot be rendered.
absl::StatusOr<ChatPrompt> RenderChat(const ChatTemplate& chat_template,
                                      const ChatPromptInput& input, const Clock& clock);

}  // namespace switchboard::text

#endif  // SWITCHBOARD_TEXT_CHAT_PROMPT_H_
