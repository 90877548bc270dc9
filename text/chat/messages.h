// OpenAI messages as a chat template sees them.
#ifndef SWITCHBOARD_TEXT_CHAT_MESSAGES_H_
#define SWITCHBOARD_TEXT_CHAT_MESSAGES_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "base/json.h"
#include "text/template/chat_template.h"

namespace switchboard::text {

// What HF transformers does to a message before it renders: keys whose value is null go away, and
// the first of reasoning_content, thinking, reasoning that is there is copied to both
// reasoning_content and thinking.
JsonObject NormalizeMessage(const JsonObject& message);

struct TemplateMessages {
  std::vector<TemplateValue> messages;
  int images = 0;
};

// How lists of parts are handed over.
struct ContentLayout {
  // Lists of users stay lists (one text alone becomes a string all the same). Lists of other roles,
  // and all of them when this is false, become one string: image placeholders, then texts, joined
  // by newlines.
  bool keep_user_lists = false;
  std::string image_placeholder;
};

// On top of NormalizeMessage:
//  * developer becomes system, function becomes tool; names of known roles are literal, so that
//  templates
//    may build control tokens from them (`<|{{ message.role }}|>`); all other text is data;
//  * arguments of tool calls that are JSON objects in a string become objects, "" becomes {}; what
//  is no
//    object stays a string; an empty list of calls goes away;
//  * an assistant message with neither content nor calls has the content "";
//  * parts: text, input_text, output_text, refusal and plain strings are text; image_url,
//  input_image and
//    image are images; of assistants, thinking and reasoning parts become their reasoning.
// InvalidArgument naming messages[i].content[j] for any other part, and for an image without a
// placeholder in a string.
absl::StatusOr<TemplateMessages> ToTemplateMessages(const JsonArray& messages,
                                                    const ContentLayout& layout);

}  // namespace switchboard::text

#endif  // SWITCHBOARD_TEXT_CHAT_MESSAGES_H_
