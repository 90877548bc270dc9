// Prompts that end inside the last message, for the model to go on with it.
#ifndef SWITCHBOARD_TEXT_CHAT_CONTINUATION_H_
#define SWITCHBOARD_TEXT_CHAT_CONTINUATION_H_

#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "base/clock.h"
#include "text/marked_text.h"
#include "text/template/chat_template.h"

namespace switchboard::text {

using TemplateVariables = std::vector<std::pair<TemplateValue, TemplateValue>>;

// Renders `messages` (template dicts) and `variables` (the others), up to where the last message's
// text ends: a marker behind that text shows the place. If the template strips the text, white
// space at its end goes away. InvalidArgument when the last message has no text, or the template
// does not show it.
absl::StatusOr<MarkedText> RenderContinued(const ChatTemplate& chat_template,
                                           std::vector<TemplateValue> messages,
                                           TemplateVariables variables, const Clock& clock);

}  // namespace switchboard::text

#endif  // SWITCHBOARD_TEXT_CHAT_CONTINUATION_H_
