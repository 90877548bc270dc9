#include "gateway/handlers/generation_exchange.h"

#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "base/log.h"
#include "gateway/openai/error.h"

namespace switchboard::gateway {
namespace {

using http::Step;

constexpr char kHeartbeat[] = ": keep-alive\n\n";
constexpr int kOk = 200, kClientLeft = 499;

}  // namespace

GenerationExchange::GenerationExchange(Endpoint endpoint, http::Request request,
                                       const Services* services)
    : endpoint_(endpoint),
      request_id_(request.request_id),
      services_(*services),
      arrived_(services->clock->Monotonic()),
      preparation_(
          std::make_shared<Preparation>(endpoint, std::move(request), services,
                                        services->clock->Now() + services->request_timeout)) {
  preparation_->Submit();
}

GenerationExchange::~GenerationExchange() {
  if (preparation_ != nullptr) preparation_->Abandon();
  if (!reported_) Report(kClientLeft);
}

Step GenerationExchange::Next() {
  while (steps_.empty()) {
    if (!Advance()) return Step{};
  }
  Step step = std::move(steps_.front());
  steps_.pop_front();
  return step;
}

void GenerationExchange::NotifyWhenReady(std::function<void()> wake) {
  if (generation_ != nullptr) return generation_->NotifyWhenReady(std::move(wake));
  preparation_->NotifyWhenReady(std::move(wake));
}

void GenerationExchange::EndEarly() {
  if (!reported_) Fail(openai::Error("shutting_down", "", "The server is shutting down."));
}

bool GenerationExchange::Advance() {
  if (generation_ == nullptr) {
    std::optional<absl::StatusOr<Begun>> begun = preparation_->Take();
    if (!begun.has_value()) return false;
    if (begun->ok()) {
      On(**std::move(begun));
    } else {
      Fail(begun->status());
    }
    return true;
  }
  const std::optional<GenerationEvent> event = generation_->Take();
  if (!event.has_value()) return false;
  std::visit([this](const auto& one) { On(one); }, *event);
  return true;
}

void GenerationExchange::On(Begun begun) {
  generation_ = std::move(begun.generation);
  streamed_ = begun.streamed;
  probe_.emplace(services_.probe, begun.model, arrived_);
  answer_.emplace(std::move(begun.plan));
}

void GenerationExchange::On(const Accepted& accepted) {
  if (accepted_) return Send(absl::InternalError("accepted twice"));
  accepted_ = true;
  preparation_.reset();
  probe_->OnAccepted(answer_->usage().prompt_tokens);
  if (streamed_) {
    PushHead(kOk, "text/event-stream; charset=utf-8",
             {{"Cache-Control", "no-cache"}, {"X-Accel-Buffering", "no"}});
  }
  Send(answer_->Begin(accepted));
}

void GenerationExchange::On(const Tokens& tokens) {
  if (!accepted_) return Send(absl::InternalError("tokens before the acceptance"));
  probe_->OnTokens(tokens.ids.size(), services_.clock->Monotonic());
  Send(answer_->Add(tokens));
}

void GenerationExchange::On(const Finished& finished) {
  if (!accepted_) return Send(absl::InternalError("the end of a choice before the acceptance"));
  if (!finished.by_length) probe_->OnStopToken();
  Send(answer_->Finish(finished));
}

void GenerationExchange::On(const Ended& ended) {
  if (ended.status.ok()) return Send(absl::InternalError("the call ended before its choices"));
  if (!absl::IsFailedPrecondition(ended.status)) return Fail(ended.status);
  // The worker has another version of the model than we made the prompt for.
  if (prepared_again_) {
    return Fail(openai::Error("model_loading", "", "The model is being replaced."));
  }
  prepared_again_ = true;
  generation_.reset();
  answer_.reset();
  probe_.reset();
  preparation_->SubmitAgain();
}

// Errors here are the worker's: it broke the protocol.
void GenerationExchange::Send(absl::StatusOr<Pieces> pieces) {
  if (!pieces.ok()) {
    LOG_REQUEST(ERROR, request_id_) << "protocol error: " << pieces.status().message();
    return Fail(openai::Error("upstream_error", "", "The worker sent a broken answer."));
  }
  for (std::string& piece : *pieces) Push(Step::kBody, std::move(piece));
  if (answer_->complete()) Complete();
}

void GenerationExchange::Complete() {
  // Otherwise a stop string ended a choice, which the worker knows nothing of.
  if (answer_->finished()) generation_->LetEnd();
  generation_.reset();
  probe_->OnFinished(answer_->usage().completion_tokens, services_.clock->Monotonic());
  probe_.reset();
  if (!streamed_) PushHead(kOk, "application/json", {});
  for (std::string& piece : answer_->End()) Push(Step::kBody, std::move(piece));
  Push(Step::kEnd, "");
  Report(kOk);
}

void GenerationExchange::Fail(const absl::Status& status) {
  generation_.reset();
  probe_.reset();
  openai::ErrorReply reply = openai::ToErrorReply(status);
  if (head_sent_) {
    Push(Step::kBody, absl::StrCat(openai::SseEvent(reply.body), openai::kSseDone));
  } else {
    PushHead(reply.status, "application/json", std::move(reply.headers));
    Push(Step::kBody, std::move(reply.body));
  }
  Push(Step::kEnd, "");
  // Who found a failure has logged it; the others are refusals.
  LOG_REQUEST(DEBUG, request_id_) << reply.code << ": " << status.message();
  Report(reply.status);
}

void GenerationExchange::Push(Step::Kind kind, std::string body) {
  Step step;
  step.kind = kind;
  step.body = std::move(body);
  steps_.push_back(std::move(step));
}

void GenerationExchange::PushHead(int status, absl::string_view content_type,
                                  std::vector<std::pair<std::string, std::string>> headers) {
  Step step;
  step.kind = Step::kHead;
  step.head.status = status;
  step.head.headers = std::move(headers);
  step.head.headers.emplace_back("Content-Type", std::string(content_type));
  if (status == kOk && streamed_) {
    step.head.streamed = true;
    step.head.heartbeat = kHeartbeat;
  }
  steps_.push_back(std::move(step));
  head_sent_ = true;
}

void GenerationExchange::Report(int status) {
  reported_ = true;
  services_.probe->OnReply(EndpointName(endpoint_), status);
  LOG_REQUEST(DEBUG, request_id_) << EndpointName(endpoint_) << " " << status << " after "
                                  << absl::ToInt64Milliseconds(services_.clock->Monotonic() -
                                                               arrived_)
                                  << " ms";
}

}  // namespace switchboard::gateway
