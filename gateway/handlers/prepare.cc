#include "gateway/handlers/prepare.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "base/status_macros.h"
#include "gateway/models/prompt.h"
#include "gateway/openai/chat_request.h"
#include "gateway/openai/completion_request.h"
#include "gateway/openai/error.h"

namespace switchboard::gateway {
namespace {

absl::StatusOr<Json> ParseBody(absl::string_view body) {
  absl::StatusOr<Json> json = ParseJson(body);
  if (!json.ok()) {
    return openai::Error("invalid_json", "",
                         absl::StrCat("The body is not valid JSON: ", json.status().message()));
  }
  if (!json->is_object()) {
    return openai::Error("invalid_json", "", "The body must be a JSON object.");
  }
  return json;
}

absl::StatusOr<NamedModel> ModelOf(const JsonObject& body, const DirectorySnapshot& models) {
  ASSIGN_OR_RETURN(const std::string name, openai::ReadModelName(body));
  return FindModel(models, name);
}

openai::ReplyIdentity Identity(absl::string_view prefix, const http::Request& request,
                               const openai::OutputFields& output, const NamedModel& named,
                               const Clock& clock) {
  openai::ReplyIdentity identity;
  identity.id =
      output.request_id.empty() ? absl::StrCat(prefix, request.request_id) : output.request_id;
  identity.created = absl::ToUnixSeconds(clock.Now());
  identity.model = named.name;
  identity.system_fingerprint = openai::SystemFingerprint(named.model->card().fingerprint);
  return identity;
}

openai::ReplyOptions FormatOptions(const openai::OutputFields& output, int choices, bool logprobs) {
  openai::ReplyOptions options;
  options.choices = choices;
  options.logprobs = logprobs;
  options.token_ids = output.return_token_ids;
  options.include_usage = output.include_usage;
  options.continuous_usage = output.continuous_usage;
  return options;
}

text::ReasoningMode ModeOf(openai::ReasoningOutput wanted, const ModelCard& card) {
  switch (wanted) {
    case openai::ReasoningOutput::kInline:
      return text::ReasoningMode::kInline;
    case openai::ReasoningOutput::kSplit:
      return text::ReasoningMode::kSplit;
    case openai::ReasoningOutput::kDrop:
      return text::ReasoningMode::kDrop;
    case openai::ReasoningOutput::kModelDefault:
      break;
  }
  return card.splits_reasoning ? text::ReasoningMode::kSplit : text::ReasoningMode::kInline;
}

text::AnswerOptions TextOptions(const openai::OutputFields& output,
                                const openai::SamplingFields& sampling) {
  text::AnswerOptions options;
  options.skip_special = output.skip_special_tokens;
  options.stops = output.stop;
  options.include_stop = output.include_stop;
  options.min_tokens = sampling.min_tokens;
  return options;
}

// What chat and completions have in common once the prompt is known.
absl::StatusOr<Prepared> Finish(const http::Request& request, const NamedModel& named,
                                Prompt prompt, const openai::SamplingFields& fields,
                                const openai::OutputFields& output, uint64_t drawn_seed) {
  const ModelCard& card = named.model->card();
  const int64_t prompt_tokens = static_cast<int64_t>(prompt.ids.size());
  Prepared prepared;
  ASSIGN_OR_RETURN(prepared.call.sampling,
                   openai::ResolveSampling(fields, card.limits, prompt_tokens, drawn_seed));
  prepared.call.request_id = request.request_id;
  prepared.call.model = named.name;
  prepared.call.fingerprint = card.fingerprint;
  prepared.call.prompt_ids = std::move(prompt.ids);
  prepared.call.images = std::move(prompt.images);
  prepared.call.choices = fields.choices;
  prepared.plan.model = named.model;
  prepared.plan.choices = fields.choices;
  prepared.plan.prompt_tokens = prompt_tokens;
  prepared.plan.choice.answer = TextOptions(output, fields);
  prepared.plan.choice.answer.thought = prompt.thought;
  prepared.plan.choice.tokens_as_ids = output.tokens_as_ids;
  prepared.plan.choice.token_ids = output.return_token_ids;
  prepared.streamed = output.stream;
  return prepared;
}

void AskForLogprobs(int top, Prepared* prepared) {
  prepared->call.sampling.logprobs = true;
  prepared->call.sampling.top_logprobs = top;
  prepared->plan.choice.logprobs = true;
  prepared->plan.choice.top_logprobs = top;
}

}  // namespace

absl::StatusOr<Prepared> PrepareChat(const http::Request& request, const DirectorySnapshot& models,
                                     const Clock& clock, uint64_t drawn_seed) {
  ASSIGN_OR_RETURN(const Json body, ParseBody(request.body));
  ASSIGN_OR_RETURN(const NamedModel named, ModelOf(body.get_object(), models));
  ASSIGN_OR_RETURN(openai::ChatRequest chat, openai::ReadChatRequest(body.get_object()));
  ASSIGN_OR_RETURN(Prompt prompt, BuildChatPrompt(&chat, *named.model, clock));
  ASSIGN_OR_RETURN(Prepared prepared, Finish(request, named, std::move(prompt), chat.sampling,
                                             chat.output, drawn_seed));
  if (chat.logprobs) AskForLogprobs(chat.top_logprobs, &prepared);
  prepared.plan.choice.answer.reasoning = ModeOf(chat.reasoning, named.model->card());
  prepared.ignored_fields = chat.ignored_fields;
  openai::ReplyIdentity identity = Identity("chatcmpl-", request, chat.output, named, clock);
  openai::ReplyOptions options = FormatOptions(chat.output, chat.sampling.choices, chat.logprobs);
  if (options.token_ids) options.prompt_ids = prepared.call.prompt_ids;
  prepared.plan.format = chat.output.stream
                             ? openai::MakeChatStream(std::move(identity), std::move(options))
                             : openai::MakeChatReply(std::move(identity), std::move(options));
  return prepared;
}

absl::StatusOr<Prepared> PrepareCompletion(const http::Request& request,
                                           const DirectorySnapshot& models, const Clock& clock,
                                           uint64_t drawn_seed) {
  ASSIGN_OR_RETURN(const Json body, ParseBody(request.body));
  ASSIGN_OR_RETURN(const NamedModel named, ModelOf(body.get_object(), models));
  ASSIGN_OR_RETURN(const openai::CompletionRequest completion,
                   openai::ReadCompletionRequest(body.get_object()));
  ASSIGN_OR_RETURN(Prompt prompt, BuildCompletionPrompt(completion, *named.model));
  const std::string echo = prompt.text;
  ASSIGN_OR_RETURN(Prepared prepared, Finish(request, named, std::move(prompt), completion.sampling,
                                             completion.output, drawn_seed));
  if (completion.logprobs.has_value()) AskForLogprobs(*completion.logprobs, &prepared);
  prepared.ignored_fields = completion.ignored_fields;
  openai::ReplyIdentity identity = Identity("cmpl-", request, completion.output, named, clock);
  openai::ReplyOptions options = FormatOptions(completion.output, completion.sampling.choices,
                                               completion.logprobs.has_value());
  options.echo = echo;
  if (options.token_ids) options.prompt_ids = prepared.call.prompt_ids;
  prepared.plan.format = completion.output.stream
                             ? openai::MakeCompletionStream(std::move(identity), std::move(options))
                             : openai::MakeCompletionReply(std::move(identity), std::move(options));
  return prepared;
}

}  // namespace switchboard::gateway
