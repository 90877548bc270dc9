#include "gateway/openai/chat_request.h"

#include <algorithm>
#include <optional>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "gateway/openai/error.h"
#include "gateway/openai/unsupported.h"

namespace switchboard::openai {
namespace {

absl::Status ReadLogprobs(ObjectReader* body, ChatRequest* request) {
  ASSIGN_OR_RETURN(const std::optional<bool> logprobs, body->Bool("logprobs"));
  ASSIGN_OR_RETURN(const std::optional<int64_t> top,
                   body->Integer("top_logprobs", 0, kMaxTopLogprobs));
  request->logprobs = logprobs.value_or(false);
  request->top_logprobs = static_cast<int>(top.value_or(0));
  if (request->top_logprobs > 0 && !request->logprobs) {
    return Error("invalid_value", "top_logprobs", "'top_logprobs' needs 'logprobs': true.");
  }
  return absl::OkStatus();
}

absl::Status ReadReasoningEffort(ObjectReader* body, JsonObject* variables) {
  ASSIGN_OR_RETURN(const std::optional<absl::string_view> effort, body->String("reasoning_effort"));
  if (!effort.has_value()) return absl::OkStatus();
  constexpr absl::string_view kEfforts[] = {"none", "minimal", "low", "medium",
                                            "high", "xhigh",   "max"};
  if (std::find(std::begin(kEfforts), std::end(kEfforts), *effort) == std::end(kEfforts)) {
    return Error("invalid_value", "reasoning_effort",
                 "'reasoning_effort' must be none, minimal, low, medium, high, xhigh or max.");
  }
  (*variables)["reasoning_effort"] = ToBoost(*effort);
  if (*effort == "none") (*variables)["enable_thinking"] = false;
  return absl::OkStatus();
}

// From the weakest wish to the strongest: reasoning_effort, enable_thinking, chat_template_kwargs.
absl::StatusOr<JsonObject> ReadTemplateVariables(ObjectReader* body) {
  JsonObject variables;
  RETURN_IF_ERROR(ReadReasoningEffort(body, &variables));
  ASSIGN_OR_RETURN(const std::optional<bool> thinking, body->Bool("enable_thinking"));
  if (thinking.has_value()) variables["enable_thinking"] = *thinking;
  ASSIGN_OR_RETURN(const JsonObject* explicit_ones, body->Object("chat_template_kwargs"));
  if (explicit_ones == nullptr) return variables;
  for (const auto& [key, value] : *explicit_ones) {
    if (key == "messages" || key == "tools") {
      const std::string path = MemberPath("chat_template_kwargs", ToAbsl(key));
      return Error("invalid_value", path, absl::StrCat("'", path, "' may not be set."));
    }
    variables[key] = value;
  }
  return variables;
}

absl::Status ReadTurn(ObjectReader* body, ChatRequest* request) {
  ASSIGN_OR_RETURN(const std::optional<bool> add, body->Bool("add_generation_prompt"));
  ASSIGN_OR_RETURN(const std::optional<bool> go_on, body->Bool("continue_final_message"));
  if (go_on == true && add == true) {
    return Error("invalid_value", "continue_final_message",
                 "'continue_final_message' and 'add_generation_prompt' exclude each other.");
  }
  if (go_on == true && request->conversation.messages.back().at("role") != "assistant") {
    return Error("invalid_value", "continue_final_message",
                 "'continue_final_message' needs a last message of the assistant.");
  }
  request->continue_final_message =
      go_on.value_or(request->conversation.continues_last && add != true);
  request->add_generation_prompt = add.value_or(!request->continue_final_message);
  return absl::OkStatus();
}

absl::Status ReadMessages(ObjectReader* body, ChatRequest* request) {
  ASSIGN_OR_RETURN(const JsonArray* messages, body->Array("messages"));
  if (messages == nullptr) return Missing("messages");
  ASSIGN_OR_RETURN(const JsonArray* images, body->Array("images"));
  ASSIGN_OR_RETURN(request->conversation, ReadConversation(*messages, images));
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::string> ReadModelName(const JsonObject& body) {
  ObjectReader reader(&body);
  ASSIGN_OR_RETURN(const std::optional<absl::string_view> model, reader.String("model"));
  return std::string(model.value_or(absl::string_view()));
}

absl::StatusOr<ChatRequest> ReadChatRequest(const JsonObject& body) {
  ObjectReader reader(&body);
  ChatRequest request;
  ASSIGN_OR_RETURN(request.model, ReadModelName(body));
  reader.Any("model");
  RETURN_IF_ERROR(ReadMessages(&reader, &request));
  ASSIGN_OR_RETURN(request.sampling, ReadSampling(&reader));
  RETURN_IF_ERROR(
      ReadMaxTokens({"max_completion_tokens", "max_tokens"}, &reader, &request.sampling));
  ASSIGN_OR_RETURN(request.output, ReadOutput(&reader));
  ASSIGN_OR_RETURN(request.reasoning, ReadReasoningOutput(&reader));
  RETURN_IF_ERROR(ReadLogprobs(&reader, &request));
  ASSIGN_OR_RETURN(request.template_variables, ReadTemplateVariables(&reader));
  ASSIGN_OR_RETURN(const JsonArray* documents, reader.Array("documents"));
  if (documents != nullptr) request.documents = *documents;
  RETURN_IF_ERROR(ReadTurn(&reader, &request));
  RETURN_IF_ERROR(RefuseUnsupported(&reader));
  RETURN_IF_ERROR(RefuseUnsupportedChat(&reader));
  RETURN_IF_ERROR(CheckHarmless(&reader));
  request.ignored_fields = reader.UnreadMembers();
  return request;
}

}  // namespace switchboard::openai
