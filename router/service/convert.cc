#include "router/service/convert.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

namespace switchboard::router {
namespace {

constexpr size_t kMaxRequestId = 128;
constexpr size_t kMaxName = 512;  // of models and fingerprints
constexpr int32_t kMaxChoices = 128;

bool IsPrintable(const std::string& text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return absl::ascii_isprint(static_cast<unsigned char>(c)); });
}

TokensEvent ToTokens(v1::Tokens* tokens) {
  TokensEvent event{tokens->choice(), tokens->position(), {}, {}};
  event.ids.assign(tokens->ids().begin(), tokens->ids().end());
  for (const v1::TokenLogprobs& entry : tokens->logprobs()) {
    event.logprobs.push_back({entry.logprob(),
                              {entry.top_ids().begin(), entry.top_ids().end()},
                              {entry.top_logprobs().begin(), entry.top_logprobs().end()}});
  }
  return event;
}

FinishedEvent::Reason ToReason(v1::Finished::Reason reason) {
  switch (reason) {
    case v1::Finished::REASON_STOP:
      return FinishedEvent::kStop;
    case v1::Finished::REASON_LENGTH:
      return FinishedEvent::kLength;
    default:
      return FinishedEvent::kUnspecified;
  }
}

v1::Finished::Reason ToProtoReason(FinishedEvent::Reason reason) {
  switch (reason) {
    case FinishedEvent::kStop:
      return v1::Finished::REASON_STOP;
    case FinishedEvent::kLength:
      return v1::Finished::REASON_LENGTH;
    case FinishedEvent::kUnspecified:
      break;
  }
  return v1::Finished::REASON_UNSPECIFIED;
}

struct ProtoWriter {
  v1::GenerateEvent* out;

  void operator()(AcceptedEvent& event) const {
    v1::Accepted* accepted = out->mutable_accepted();
    accepted->set_worker(std::move(event.worker));
    accepted->set_fingerprint(std::move(event.fingerprint));
    accepted->set_cached_tokens(event.cached_tokens);
  }
  void operator()(TokensEvent& event) const {
    v1::Tokens* tokens = out->mutable_tokens();
    tokens->set_choice(event.choice);
    tokens->set_position(event.position);
    tokens->mutable_ids()->Add(event.ids.begin(), event.ids.end());
    for (const TokenLogprobs& entry : event.logprobs) {
      v1::TokenLogprobs* logprobs = tokens->add_logprobs();
      logprobs->set_logprob(entry.logprob);
      logprobs->mutable_top_ids()->Add(entry.top_ids.begin(), entry.top_ids.end());
      logprobs->mutable_top_logprobs()->Add(entry.top_logprobs.begin(), entry.top_logprobs.end());
    }
  }
  void operator()(FinishedEvent& event) const {
    v1::Finished* finished = out->mutable_finished();
    finished->set_choice(event.choice);
    finished->set_reason(ToProtoReason(event.reason));
    finished->set_stop_token_id(event.stop_token_id);
    finished->set_stop_token_requested(event.stop_token_requested);
    finished->set_completion_tokens(event.completion_tokens);
  }
};

}  // namespace

absl::StatusOr<RequestInfo> ToRequestInfo(const v1::GenerateRequest& request) {
  if (request.request_id().size() > kMaxRequestId || !IsPrintable(request.request_id())) {
    return absl::InvalidArgumentError("request_id: not printable ASCII of at most 128 characters");
  }
  if (request.model().size() > kMaxName || request.fingerprint().size() > kMaxName) {
    return absl::InvalidArgumentError("model, fingerprint: more than 512 bytes");
  }
  if (request.choices() < 1 || request.choices() > kMaxChoices) {
    return absl::InvalidArgumentError(
        absl::StrCat("choices: ", request.choices(), " is not in 1 to 128"));
  }
  return RequestInfo{.request_id = request.request_id(),
                     .model = request.model(),
                     .fingerprint = request.fingerprint(),
                     .choices = request.choices(),
                     .bytes = request.ByteSizeLong()};
}

StreamEvent ToStreamEvent(v1::GenerateEvent event) {
  switch (event.event_case()) {
    case v1::GenerateEvent::kAccepted: {
      v1::Accepted* accepted = event.mutable_accepted();
      return AcceptedEvent{std::move(*accepted->mutable_worker()),
                           std::move(*accepted->mutable_fingerprint()), accepted->cached_tokens()};
    }
    case v1::GenerateEvent::kTokens:
      return ToTokens(event.mutable_tokens());
    case v1::GenerateEvent::kFinished: {
      const v1::Finished& finished = event.finished();
      return FinishedEvent{finished.choice(), ToReason(finished.reason()), finished.stop_token_id(),
                           finished.stop_token_requested(), finished.completion_tokens()};
    }
    case v1::GenerateEvent::EVENT_NOT_SET:
      break;
  }
  return TokensEvent{};
}

void ToProto(StreamEvent event, v1::GenerateEvent* out) { std::visit(ProtoWriter{out}, event); }

WorkerReport ToWorkerReport(v1::WorkerReport report) {
  WorkerReport result;
  result.incarnation = std::move(*report.mutable_incarnation());
  result.worker = std::move(*report.mutable_worker());
  result.has_models = report.models_size() > 0;
  for (const v1::ModelName& model : report.models()) {
    result.models.push_back({.name = model.name(),
                             .root = model.root(),
                             .created = model.created(),
                             .max_model_len = model.max_model_len(),
                             .fingerprint = model.fingerprint(),
                             .card_version = model.card_version()});
  }
  result.running = report.running();
  result.waiting = report.waiting();
  result.steps = report.steps();
  result.max_running = report.max_running();
  result.max_waiting = report.max_waiting();
  result.draining = report.draining();
  return result;
}

void ToProto(const ModelName& model, v1::ModelName* out) {
  out->set_name(model.name);
  out->set_root(model.root);
  out->set_created(model.created);
  out->set_max_model_len(model.max_model_len);
  out->set_fingerprint(model.fingerprint);
  out->set_card_version(model.card_version);
}

}  // namespace switchboard::router
