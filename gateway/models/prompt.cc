#include "gateway/models/prompt.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "gateway/openai/error.h"
#include "text/chat/prompt.h"

namespace switchboard::gateway {
namespace {

using text::MarkedText;

// A text longer than this many bytes per token of context is looked at from its beginning first.
constexpr int64_t kUsualBytesPerToken = 32;
constexpr int64_t kFirstLookBytesPerToken = 8;
// Tokens by which a text cut off anywhere may seem longer than it is.
constexpr int64_t kCutSlack = 1024;

// Refuses megabytes that cannot fit after a look at their first part: ids of a beginning are those
// of the whole, save a few at the cut.
absl::Status CheckFits(const MarkedText& text, absl::string_view param, const Model& model) {
  const int64_t context = model.card().limits.max_model_len;
  const int64_t size = static_cast<int64_t>(text.size());
  if (size <= context * kUsualBytesPerToken) return absl::OkStatus();
  for (int64_t part = (context + kCutSlack) * kFirstLookBytesPerToken; part < size; part *= 4) {
    const int64_t tokens =
        static_cast<int64_t>(model.tokenizer().Encode(text.Slice(0, part), false).size());
    if (tokens - kCutSlack > context) {
      return openai::PromptTooLong(param, context, tokens - kCutSlack, false);
    }
  }
  return absl::OkStatus();
}

void Truncate(const openai::OutputFields& output, int64_t context, std::vector<int32_t>* ids) {
  // -1: all but the one token of the answer.
  const int64_t most =
      *output.truncate_prompt_tokens == -1 ? context - 1 : *output.truncate_prompt_tokens;
  const int64_t extra = static_cast<int64_t>(ids->size()) - most;
  if (extra <= 0) return;
  if (output.truncate_right) {
    ids->resize(most);
  } else {
    ids->erase(ids->begin(), ids->begin() + extra);
  }
}

// The ids of `text`, truncated as the request says. What is to be truncated may be any length: it
// is encoded to its end.
absl::StatusOr<std::vector<int32_t>> Encode(const MarkedText& text, bool add_special_tokens,
                                            const openai::OutputFields& output,
                                            absl::string_view param, const Model& model) {
  const bool truncates = output.truncate_prompt_tokens.has_value();
  if (!truncates) RETURN_IF_ERROR(CheckFits(text, param, model));
  const text::Tokenizer& tokenizer = model.tokenizer();
  std::vector<int32_t> ids =
      add_special_tokens ? tokenizer.EncodePrompt(text) : tokenizer.Encode(text, false);
  if (truncates) Truncate(output, model.card().limits.max_model_len, &ids);
  return ids;
}

text::ChatPromptInput TemplateInput(openai::ChatRequest* request, const ModelCard& card) {
  text::ChatPromptInput input;
  input.messages = std::move(request->conversation.messages);
  input.documents = std::move(request->documents);
  input.template_kwargs = std::move(request->template_variables);
  input.add_generation_prompt = request->add_generation_prompt;
  input.continue_final_message = request->continue_final_message;
  input.bos_token = card.bos_token;
  input.eos_token = card.eos_token;
  input.content_format =
      card.content_as_parts ? text::ContentFormat::kOpenAi : text::ContentFormat::kString;
  if (card.image_input.has_value()) input.image_placeholder = card.image_input->placeholder;
  return input;
}

absl::StatusOr<text::ChatPrompt> Render(openai::ChatRequest* request, const Model& model,
                                        const Clock& clock) {
  if (model.chat_template() == nullptr) {
    return openai::Error("invalid_value", "model",
                         "This model has no chat template: use /v1/completions.");
  }
  absl::StatusOr<text::ChatPrompt> prompt =
      text::RenderChat(*model.chat_template(), TemplateInput(request, model.card()), clock);
  if (!prompt.ok()) {
    return openai::Error("invalid_value", "messages", prompt.status().message());
  }
  return prompt;
}

absl::Status CheckNotEmpty(const std::vector<int32_t>& ids, absl::string_view param) {
  if (!ids.empty()) return absl::OkStatus();
  return openai::Error("invalid_value", param, "The prompt must have at least one token.");
}

absl::StatusOr<std::vector<int32_t>> GivenIds(const std::vector<int64_t>& given,
                                              int64_t vocab_size) {
  std::vector<int32_t> ids;
  ids.reserve(given.size());
  for (int64_t id : given) {
    if (id >= vocab_size) {
      return openai::Error(
          "invalid_value", "prompt",
          absl::StrCat("Token id ", id, " is out of vocabulary: ids are below ", vocab_size, "."));
    }
    ids.push_back(static_cast<int32_t>(id));
  }
  return ids;
}

}  // namespace

absl::StatusOr<Prompt> BuildChatPrompt(openai::ChatRequest* request, const Model& model,
                                       const Clock& clock) {
  const ModelCard& card = model.card();
  Prompt prompt;
  const ImageInput* image_input = card.image_input.has_value() ? &*card.image_input : nullptr;
  ASSIGN_OR_RETURN(prompt.images, ReadImages(request->conversation.images, image_input));
  ASSIGN_OR_RETURN(const text::ChatPrompt rendered, Render(request, model, clock));
  prompt.thought = text::ThoughtAfterPrompt(rendered.text);
  if (request->output.truncate_prompt_tokens.has_value() && !prompt.images.empty()) {
    return openai::Error("unsupported_parameter", "truncate_prompt_tokens",
                         "'truncate_prompt_tokens' cannot be used with images.");
  }
  // The template writes special tokens itself.
  ASSIGN_OR_RETURN(prompt.ids, Encode(rendered.text, false, request->output,
                                      request->sampling.prompt_param, model));
  if (image_input != nullptr) {
    ASSIGN_OR_RETURN(prompt.ids, ExpandPlaceholders(prompt.ids, image_input->token_id,
                                                    absl::MakeSpan(prompt.images)));
  }
  RETURN_IF_ERROR(CheckNotEmpty(prompt.ids, "messages"));
  return prompt;
}

absl::StatusOr<Prompt> BuildCompletionPrompt(const openai::CompletionRequest& request,
                                             const Model& model) {
  const ModelCard& card = model.card();
  Prompt prompt;
  if (request.prompt_ids.has_value()) {
    ASSIGN_OR_RETURN(prompt.ids, GivenIds(*request.prompt_ids, card.limits.vocab_size));
    if (request.output.truncate_prompt_tokens.has_value()) {
      Truncate(request.output, card.limits.max_model_len, &prompt.ids);
    }
  } else {
    ASSIGN_OR_RETURN(prompt.ids,
                     Encode(MarkedText::Literal(request.prompt), request.add_special_tokens,
                            request.output, request.sampling.prompt_param, model));
  }
  RETURN_IF_ERROR(CheckNotEmpty(prompt.ids, "prompt"));
  if (card.image_input.has_value() && std::find(prompt.ids.begin(), prompt.ids.end(),
                                                card.image_input->token_id) != prompt.ids.end()) {
    return openai::Error("invalid_value", "prompt",
                         "Image placeholders need an image: use /v1/chat/completions.");
  }
  if (request.echo) {
    prompt.text = request.prompt_ids.has_value() ? model.tokenizer().Decode(prompt.ids, true)
                                                 : request.prompt;
  }
  return prompt;
}

}  // namespace switchboard::gateway
