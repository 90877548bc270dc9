#include "gateway/upstream/convert.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"

namespace switchboard::gateway {
namespace {

void ToProto(const openai::Sampling& in, v1::Sampling* out) {
  out->set_temperature(in.temperature);
  out->set_top_p(in.top_p);
  out->set_top_k(in.top_k);
  out->set_min_p(in.min_p);
  out->set_repetition_penalty(in.repetition_penalty);
  out->set_frequency_penalty(in.frequency_penalty);
  out->set_presence_penalty(in.presence_penalty);
  for (const auto& [id, bias] : in.logit_bias) {
    v1::LogitBias* entry = out->add_logit_bias();
    entry->set_token_id(id);
    entry->set_bias(bias);
  }
  out->set_seed(in.seed);
  out->set_max_tokens(in.max_tokens);
  out->set_min_tokens(in.min_tokens);
  out->mutable_stop_token_ids()->Add(in.stop_token_ids.begin(), in.stop_token_ids.end());
  out->set_ignore_eos(in.ignore_eos);
  out->set_logprobs(in.logprobs);
  out->set_top_logprobs(in.top_logprobs);
}

void ToProto(const PromptImage& in, v1::MediaItem* out) {
  out->set_content(in.content);
  out->set_sha256(in.sha256);
  out->set_grid_h(in.grid_h);
  out->set_grid_w(in.grid_w);
  out->set_prompt_offset(in.offset);
  out->set_tokens(in.tokens);
}

absl::StatusOr<TokenLogprobs> FromProto(const v1::TokenLogprobs& in) {
  if (in.top_ids_size() != in.top_logprobs_size()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "top_ids has ", in.top_ids_size(), " items, top_logprobs ", in.top_logprobs_size()));
  }
  TokenLogprobs out;
  out.logprob = in.logprob();
  for (int i = 0; i < in.top_ids_size(); ++i) {
    out.top.emplace_back(in.top_ids(i), in.top_logprobs(i));
  }
  return out;
}

absl::StatusOr<Tokens> FromProto(const v1::Tokens& in) {
  if (in.logprobs_size() != 0 && in.logprobs_size() != in.ids_size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("tokens has ", in.ids_size(), " ids and ", in.logprobs_size(), " logprobs"));
  }
  Tokens out;
  out.choice = in.choice();
  out.position = in.position();
  out.ids.assign(in.ids().begin(), in.ids().end());
  for (const v1::TokenLogprobs& entry : in.logprobs()) {
    ASSIGN_OR_RETURN(TokenLogprobs logprobs, FromProto(entry));
    out.logprobs.push_back(std::move(logprobs));
  }
  return out;
}

absl::StatusOr<Finished> FromProto(const v1::Finished& in) {
  if (in.reason() != v1::Finished::REASON_STOP && in.reason() != v1::Finished::REASON_LENGTH) {
    return absl::InvalidArgumentError(absl::StrCat("finished.reason is ", in.reason()));
  }
  Finished out;
  out.choice = in.choice();
  out.by_length = in.reason() == v1::Finished::REASON_LENGTH;
  out.stop_token_id = in.stop_token_id();
  out.stop_token_requested = in.stop_token_requested();
  out.completion_tokens = in.completion_tokens();
  return out;
}

template <typename T, typename U>
void CopyOptional(bool has, T value, std::optional<U>* out) {
  if (has) *out = static_cast<U>(value);
}

openai::ModelLimits Limits(const v1::ModelCard& card) {
  openai::ModelLimits limits;
  limits.max_model_len = card.max_model_len();
  limits.vocab_size = card.vocab_size();
  limits.clamp_max_tokens = card.clamp_max_tokens();
  const v1::DefaultSampling& preferred = card.default_sampling();
  CopyOptional(preferred.has_temperature(), preferred.temperature(), &limits.temperature);
  CopyOptional(preferred.has_top_p(), preferred.top_p(), &limits.top_p);
  CopyOptional(preferred.has_top_k(), preferred.top_k(), &limits.top_k);
  CopyOptional(preferred.has_min_p(), preferred.min_p(), &limits.min_p);
  CopyOptional(preferred.has_repetition_penalty(), preferred.repetition_penalty(),
               &limits.repetition_penalty);
  CopyOptional(preferred.has_max_new_tokens(), preferred.max_new_tokens(), &limits.max_new_tokens);
  return limits;
}

ImageInput FromProto(const v1::ImageInput& in) {
  ImageInput out;
  out.token_id = in.image_token_id();
  out.placeholder = in.placeholder();
  out.grid.patch_size = in.patch_size();
  out.grid.merge_size = in.merge_size();
  out.grid.temporal_patch_size = in.temporal_patch_size();
  out.grid.min_pixels = in.min_pixels();
  out.grid.max_pixels = in.max_pixels();
  out.max_images = in.max_images();
  return out;
}

}  // namespace

v1::GenerateRequest ToProto(const GenerateCall& call) {
  v1::GenerateRequest out;
  out.set_request_id(call.request_id);
  out.set_model(call.model);
  out.set_fingerprint(call.fingerprint);
  out.mutable_prompt_ids()->Add(call.prompt_ids.begin(), call.prompt_ids.end());
  for (const PromptImage& image : call.images) ToProto(image, out.add_media());
  ToProto(call.sampling, out.mutable_sampling());
  out.set_choices(call.choices);
  return out;
}

absl::StatusOr<GenerationEvent> FromProto(const v1::GenerateEvent& event) {
  switch (event.event_case()) {
    case v1::GenerateEvent::kAccepted:
      return GenerationEvent(Accepted{event.accepted().worker(), event.accepted().cached_tokens()});
    case v1::GenerateEvent::kTokens: {
      ASSIGN_OR_RETURN(Tokens tokens, FromProto(event.tokens()));
      return GenerationEvent(std::move(tokens));
    }
    case v1::GenerateEvent::kFinished: {
      ASSIGN_OR_RETURN(Finished finished, FromProto(event.finished()));
      return GenerationEvent(finished);
    }
    case v1::GenerateEvent::EVENT_NOT_SET:
      break;
  }
  return absl::InvalidArgumentError("an event without content");
}

std::vector<ModelName> FromProto(const v1::ListModelsResponse& response) {
  std::vector<ModelName> names;
  for (const v1::ModelName& in : response.models()) {
    names.push_back({in.name(), in.root(), in.created(), in.max_model_len(), in.fingerprint(),
                     in.card_version()});
  }
  return names;
}

ModelCard FromProto(v1::ModelCard card) {
  ModelCard out;
  out.fingerprint = card.fingerprint();
  out.card_version = card.card_version();
  out.tokenizer_json = std::move(*card.mutable_tokenizer_json());
  out.chat_template = std::move(*card.mutable_chat_template());
  out.bos_token = card.bos_token();
  out.eos_token = card.eos_token();
  out.limits = Limits(card);
  if (card.has_image_input()) out.image_input = FromProto(card.image_input());
  out.splits_reasoning = card.default_reasoning() == v1::ModelCard::REASONING_SPLIT;
  out.content_as_parts = card.content_format() == v1::ModelCard::CONTENT_FORMAT_OPENAI;
  return out;
}

}  // namespace switchboard::gateway
