#include "worker/service/convert.h"

#include <utility>

#include "base/check.h"
#include "base/digest.h"

namespace switchboard::worker {
namespace {

engine::SamplingParams ToSampling(const v1::Sampling& from) {
  engine::SamplingParams to;
  to.temperature = from.temperature();
  to.top_p = from.top_p();
  to.top_k = from.top_k();
  to.min_p = from.min_p();
  to.repetition_penalty = from.repetition_penalty();
  to.frequency_penalty = from.frequency_penalty();
  to.presence_penalty = from.presence_penalty();
  for (const v1::LogitBias& bias : from.logit_bias()) {
    to.logit_bias.emplace_back(bias.token_id(), bias.bias());
  }
  to.seed = from.seed();
  to.max_tokens = from.max_tokens();
  to.min_tokens = from.min_tokens();
  to.stop_token_ids.assign(from.stop_token_ids().begin(), from.stop_token_ids().end());
  to.ignore_eos = from.ignore_eos();
  to.logprobs = from.logprobs();
  to.top_logprobs = from.top_logprobs();
  return to;
}

void FillDefaults(const SamplingDefaults& from, v1::DefaultSampling* to) {
  if (from.temperature) to->set_temperature(*from.temperature);
  if (from.top_p) to->set_top_p(*from.top_p);
  if (from.top_k) to->set_top_k(*from.top_k);
  if (from.min_p) to->set_min_p(*from.min_p);
  if (from.repetition_penalty) to->set_repetition_penalty(*from.repetition_penalty);
  if (from.max_new_tokens) to->set_max_new_tokens(*from.max_new_tokens);
}

void AppendToken(const engine::TokenEvent& token, bool with_logprobs,
                 std::vector<v1::GenerateEvent>* pending) {
  v1::Tokens* tokens = pending->empty() || !pending->back().has_tokens()
                           ? nullptr
                           : pending->back().mutable_tokens();
  if (tokens == nullptr || tokens->choice() != token.choice ||
      tokens->position() + tokens->ids_size() != token.position) {
    tokens = pending->emplace_back().mutable_tokens();
    tokens->set_choice(token.choice);
    tokens->set_position(token.position);
  }
  tokens->add_ids(token.id);
  if (!with_logprobs) return;
  v1::TokenLogprobs* logprobs = tokens->add_logprobs();
  logprobs->set_logprob(token.logprobs.logprob);
  for (const auto& [id, logprob] : token.logprobs.top) {
    logprobs->add_top_ids(id);
    logprobs->add_top_logprobs(logprob);
  }
}

void AppendFinished(const engine::FinishedEvent& event, std::vector<v1::GenerateEvent>* pending) {
  const bool stop = event.reason == engine::FinishedEvent::kStop;
  v1::Finished* finished = pending->emplace_back().mutable_finished();
  finished->set_choice(event.choice);
  finished->set_reason(stop ? v1::Finished::REASON_STOP : v1::Finished::REASON_LENGTH);
  if (stop) finished->set_stop_token_id(event.stop_token_id);
  finished->set_stop_token_requested(event.stop_token_requested);
  finished->set_completion_tokens(event.completion_tokens);
}

// Changes with every setting that the card carries; workers with the same settings have the same.
std::string VersionOf(const v1::ModelCard& card) {
  return ToHex(Sha256Of(card.SerializeAsString())).substr(0, 16);
}

}  // namespace

engine::Request ToEngineRequest(const v1::GenerateRequest& request) {
  engine::Request to;
  to.prompt_ids.assign(request.prompt_ids().begin(), request.prompt_ids().end());
  to.sampling = ToSampling(request.sampling());
  to.choices = request.choices();
  return to;
}

v1::ModelCard ToCard(const Identity& identity, const ModelFiles& files,
                     const CardOptions& options) {
  v1::ModelCard card;
  card.set_fingerprint(identity.fingerprint);
  card.set_tokenizer_json(files.tokenizer_json);
  card.set_chat_template(files.chat_template);
  card.set_bos_token(files.bos_token);
  card.set_eos_token(files.eos_token);
  card.set_max_model_len(options.max_model_len);
  card.set_vocab_size(options.vocab_size);
  FillDefaults(files.sampling, card.mutable_default_sampling());
  card.set_clamp_max_tokens(true);
  card.set_default_reasoning(v1::ModelCard::REASONING_INLINE);
  card.set_content_format(options.openai_content_format ? v1::ModelCard::CONTENT_FORMAT_OPENAI
                                                        : v1::ModelCard::CONTENT_FORMAT_STRING);
  if (files.images.has_value()) {
    const ImageRules& rules = *files.images;
    v1::ImageInput* input = card.mutable_image_input();
    input->set_image_token_id(rules.image_token_id);
    input->set_image_token(rules.image_token);
    input->set_placeholder(rules.placeholder);
    input->set_patch_size(rules.grid.patch_size);
    input->set_merge_size(rules.grid.merge_size);
    input->set_temporal_patch_size(rules.grid.temporal_patch_size);
    input->set_min_pixels(rules.grid.min_pixels);
    input->set_max_pixels(rules.grid.max_pixels);
    input->set_max_images(options.max_images);
  }
  card.set_card_version(VersionOf(card));
  return card;
}

void AddModelNames(const Identity& identity, const v1::ModelCard& card,
                   google::protobuf::RepeatedPtrField<v1::ModelName>* models) {
  for (const std::string& name : identity.model_names) {
    v1::ModelName* model = models->Add();
    model->set_name(name);
    model->set_root(identity.root);
    model->set_created(identity.created);
    model->set_max_model_len(card.max_model_len());
    model->set_fingerprint(card.fingerprint());
    model->set_card_version(card.card_version());
  }
}

v1::WorkerReport ToReport(const Identity& identity, const engine::EngineStats& stats,
                          const engine::EngineOptions& limits, bool draining) {
  v1::WorkerReport report;
  report.set_incarnation(identity.incarnation);
  report.set_worker(identity.name);
  // While all wait for their readers, nothing is being computed.
  report.set_running(stats.runnable ? stats.running : 0);
  report.set_waiting(stats.waiting);
  report.set_steps(stats.steps);
  report.set_max_running(limits.max_running);
  report.set_max_waiting(limits.max_waiting);
  report.set_draining(draining);
  return report;
}

void AppendEvent(const engine::Event& event, const Identity& identity, bool with_logprobs,
                 std::vector<v1::GenerateEvent>* pending) {
  if (const auto* started = std::get_if<engine::StartedEvent>(&event)) {
    v1::Accepted* accepted = pending->emplace_back().mutable_accepted();
    accepted->set_worker(identity.name);
    accepted->set_fingerprint(identity.fingerprint);
    accepted->set_cached_tokens(started->cached_tokens);
  } else if (const auto* token = std::get_if<engine::TokenEvent>(&event)) {
    AppendToken(*token, with_logprobs, pending);
  } else {
    const auto* finished = std::get_if<engine::FinishedEvent>(&event);
    CHECK(finished != nullptr);
    AppendFinished(*finished, pending);
  }
}

}  // namespace switchboard::worker
