#include "gateway/handlers/prepare.h"

#include <memory>
#include <optional>
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

// Room for the most that the fields may have (prompt ids, content parts with their members), and
// for a few hundred megabytes of memory at most.
constexpr size_t kMaxBodyValues = size_t{2} << 20;

absl::StatusOr<Json> ParseBody(absl::string_view body) {
  absl::StatusOr<Json> json = ParseJson(body, kDefaultJsonDepth, kMaxBodyValues);
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

// What the two endpoints do differently with a request once its prompt is known.
struct EndpointForm {
  absl::string_view id_prefix;
  std::unique_ptr<openai::ReplyFormat> (*whole)(openai::ReplyIdentity, openai::ReplyOptions);
  std::unique_ptr<openai::ReplyFormat> (*stream)(openai::ReplyIdentity, openai::ReplyOptions);
  std::optional<int> top_logprobs;  // none: no log-probabilities
  std::string echo;
};

std::unique_ptr<openai::ReplyFormat> FormatOf(const EndpointForm& form,
                                              const openai::OutputFields& output,
                                              const GenerateCall& call,
                                              openai::ReplyIdentity identity) {
  openai::ReplyOptions options;
  options.choices = call.choices;
  options.logprobs = form.top_logprobs.has_value();
  options.token_ids = output.return_token_ids;
  options.include_usage = output.include_usage;
  options.continuous_usage = output.continuous_usage;
  options.echo = form.echo;
  if (options.token_ids) options.prompt_ids = call.prompt_ids;
  return (output.stream ? form.stream : form.whole)(std::move(identity), std::move(options));
}

// What they have in common.
absl::StatusOr<Prepared> Finish(const http::Request& request, const NamedModel& named,
                                Prompt prompt, const openai::SamplingFields& fields,
                                const openai::OutputFields& output, const EndpointForm& form,
                                const Clock& clock, uint64_t drawn_seed) {
  const ModelCard& card = named.model->card();
  const int64_t prompt_tokens = static_cast<int64_t>(prompt.ids.size());
  Prepared prepared;
  GenerateCall& call = prepared.call;
  ASSIGN_OR_RETURN(call.sampling,
                   openai::ResolveSampling(fields, card.limits, prompt_tokens, drawn_seed));
  call.sampling.logprobs = form.top_logprobs.has_value();
  call.sampling.top_logprobs = form.top_logprobs.value_or(0);
  if (call.sampling.logprobs && !output.stream) {
    RETURN_IF_ERROR(openai::CheckWholeLogprobs(fields, call.sampling));
  }
  call.request_id = request.request_id;
  call.model = named.name;
  call.fingerprint = card.fingerprint;
  call.prompt_ids = std::move(prompt.ids);
  call.images = std::move(prompt.images);
  call.choices = fields.choices;
  prepared.streamed = output.stream;
  AnswerPlan& plan = prepared.plan;
  plan.model = named.model;
  plan.choices = fields.choices;
  plan.prompt_tokens = prompt_tokens;
  plan.choice.answer = TextOptions(output, fields);
  plan.choice.answer.thought = prompt.thought;
  plan.choice.logprobs = call.sampling.logprobs;
  plan.choice.top_logprobs = call.sampling.top_logprobs;
  plan.choice.tokens_as_ids = output.tokens_as_ids;
  plan.choice.token_ids = output.return_token_ids;
  plan.format =
      FormatOf(form, output, call, Identity(form.id_prefix, request, output, named, clock));
  return prepared;
}

}  // namespace

absl::StatusOr<Prepared> PrepareChat(const http::Request& request, const DirectorySnapshot& models,
                                     const Clock& clock, uint64_t drawn_seed) {
  ASSIGN_OR_RETURN(const Json body, ParseBody(request.body));
  ASSIGN_OR_RETURN(const NamedModel named, ModelOf(body.get_object(), models));
  ASSIGN_OR_RETURN(openai::ChatRequest chat, openai::ReadChatRequest(body.get_object()));
  ASSIGN_OR_RETURN(Prompt prompt, BuildChatPrompt(&chat, *named.model, clock));
  EndpointForm form{"chatcmpl-", openai::MakeChatReply, openai::MakeChatStream, {}, ""};
  if (chat.logprobs) form.top_logprobs = chat.top_logprobs;
  ASSIGN_OR_RETURN(Prepared prepared, Finish(request, named, std::move(prompt), chat.sampling,
                                             chat.output, form, clock, drawn_seed));
  prepared.plan.choice.answer.reasoning = ModeOf(chat.reasoning, named.model->card());
  prepared.ignored_fields = chat.ignored_fields;
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
  EndpointForm form{"cmpl-", openai::MakeCompletionReply, openai::MakeCompletionStream,
                    completion.logprobs, prompt.text};
  ASSIGN_OR_RETURN(Prepared prepared, Finish(request, named, std::move(prompt), completion.sampling,
                                             completion.output, form, clock, drawn_seed));
  prepared.ignored_fields = completion.ignored_fields;
  return prepared;
}

}  // namespace switchboard::gateway
