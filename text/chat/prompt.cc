#include "text/chat/prompt.h"

#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "base/status_macros.h"
#include "text/chat/continuation.h"
#include "text/chat/messages.h"

namespace switchboard::text {
namespace {

void Add(absl::string_view name, TemplateValue value, TemplateVariables* variables) {
  variables->emplace_back(TemplateValue::Literal(name), std::move(value));
}

bool IsReserved(absl::string_view name) {
  return name == "messages" || name == "tools" || name == "documents" ||
         name == "add_generation_prompt";
}

// The variables of a rendering, without the messages.
TemplateVariables Variables(const ChatPromptInput& input) {
  TemplateVariables variables;
  // Tokens of the model are the server's text; one that the model lacks is undefined.
  if (!input.bos_token.empty())
    Add("bos_token", TemplateValue::Literal(input.bos_token), &variables);
  if (!input.eos_token.empty())
    Add("eos_token", TemplateValue::Literal(input.eos_token), &variables);
  for (const auto& [name, value] : input.template_kwargs) {
    if (!IsReserved(ToAbsl(name))) Add(ToAbsl(name), TemplateValue::FromJson(value), &variables);
  }
  Add("tools", TemplateValue::FromJson(input.tools), &variables);
  Add("documents", TemplateValue::FromJson(input.documents), &variables);
  Add("add_generation_prompt",
      TemplateValue::Bool(input.add_generation_prompt && !input.continue_final_message),
      &variables);
  return variables;
}

// Whether the template walks the parts of a user's message. One that prints them as they are would
// show the model a Python list.
bool WalksParts(const ChatTemplate& chat_template, const Clock& clock) {
  constexpr absl::string_view kProbe = "probe of parts";
  ChatPromptInput probe;
  TemplateVariables variables = Variables(probe);
  const JsonObject part = {{"type", "text"}, {"text", ToBoost(kProbe)}};
  const JsonObject message = {{"role", "user"}, {"content", JsonArray{part}}};
  Add("messages", TemplateValue::FromJson(JsonArray{message}), &variables);
  const auto rendered = chat_template.Render(TemplateValue::Dict(std::move(variables)), clock);
  return rendered.ok() && absl::StrContains(rendered->text.text(), kProbe) &&
         !absl::StrContains(rendered->text.text(), "'type'");
}

bool HasUserList(const JsonArray& messages) {
  for (const Json& message : messages) {
    const JsonObject* object = message.if_object();
    const Json* content = object == nullptr ? nullptr : FindMember(*object, "content");
    if (content != nullptr && content->is_array()) return true;
  }
  return false;
}

}  // namespace

absl::StatusOr<ChatPrompt> RenderChat(const ChatTemplate& chat_template,
                                      const ChatPromptInput& input, const Clock& clock) {
  ContentLayout layout;
  layout.image_placeholder = input.image_placeholder;
  layout.keep_user_lists = input.content_format == ContentFormat::kOpenAi &&
                           HasUserList(input.messages) && WalksParts(chat_template, clock);
  ASSIGN_OR_RETURN(TemplateMessages messages, ToTemplateMessages(input.messages, layout));
  TemplateVariables variables = Variables(input);
  ChatPrompt prompt;
  prompt.images = messages.images;
  if (input.continue_final_message) {
    ASSIGN_OR_RETURN(prompt.text, RenderContinued(chat_template, std::move(messages.messages),
                                                  std::move(variables), clock));
    return prompt;
  }
  Add("messages", TemplateValue::List(std::move(messages.messages)), &variables);
  ASSIGN_OR_RETURN(ChatTemplate::Rendered rendered,
                   chat_template.Render(TemplateValue::Dict(std::move(variables)), clock));
  prompt.text = std::move(rendered.text);
  return prompt;
}

}  // namespace switchboard::text
