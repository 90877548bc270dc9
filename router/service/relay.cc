#include "router/service/relay.h"

#include <utility>
#include <variant>

#include "base/log.h"
#include "router/service/convert.h"
#include "rpc/status.h"

namespace switchboard::router {

Relay::Relay(const Surroundings& surroundings, ClientStream* client, v1::GenerateRequest request)
    : surroundings_(surroundings),
      client_(client),
      request_(std::move(request)),
      request_id_(request_.request_id()),
      arrived_(surroundings.clock->Monotonic()) {}

void Relay::Carry(Command command) {
  std::visit([this](auto& action) { Do(std::move(action)); }, command.action);
}

void Relay::Do(const StartAttempt& start) {
  surroundings_.probe->AttemptStarted(start.number);
  if (start.number > 1) {
    LOG_REQUEST(WARNING, request_id_)
        << "attempt " << start.attempt_id << ", number " << start.number;
  }
  auto& attempt = attempts_[start.attempt];
  attempt = std::make_unique<AttemptStream>(surroundings_.listener(start.attempt));
  attempt->Start(surroundings_.stub(start.worker), request_);
}

void Relay::Do(ReadAttempt read) { attempts_.at(read.attempt)->Read(); }

void Relay::Do(CancelAttempt cancel) { attempts_.at(cancel.attempt)->Cancel(); }

void Relay::Do(ForgetAttempt forget) { attempts_.erase(forget.attempt); }

void Relay::Do(Forward forward) {
  Time(forward.event);
  // After a token nobody takes over: up to 128 MiB need not wait for the end.
  if (!std::holds_alternative<AcceptedEvent>(forward.event)) Release();
  v1::GenerateEvent event;
  ToProto(std::move(forward.event), &event);
  client_->Send(std::move(event), forward.bytes);
}

void Relay::Do(const struct Finish& finish) {
  surroundings_.probe->RequestEnded(finish.status.code(),
                                    surroundings_.clock->Monotonic() - arrived_);
  LogEnd(finish.status);
  if (finish.retry_after > absl::ZeroDuration()) {
    rpc::SetRetryAfter(finish.retry_after, client_->context());
  }
  Release();
  std::exchange(client_, nullptr)->Finish(rpc::ToGrpc(finish.status));
}

void Relay::Release() {
  // Clear() would keep the memory.
  if (!request_.prompt_ids().empty()) v1::GenerateRequest().Swap(&request_);
}

void Relay::LogEnd(const absl::Status& status) const {
  if (status.ok() || absl::IsCancelled(status)) return;
  // Refusals are counted, and a flood of them must not become a flood of lines.
  if (absl::IsInternal(status) || last_token_ > absl::ZeroDuration()) {
    LOG_REQUEST(WARNING, request_id_) << status;
  } else {
    LOG_REQUEST(DEBUG, request_id_) << status;
  }
}

void Relay::Time(const StreamEvent& event) {
  const auto* tokens = std::get_if<TokensEvent>(&event);
  if (tokens == nullptr) return;
  const absl::Duration now = surroundings_.clock->Monotonic();
  if (last_token_ == absl::ZeroDuration()) {
    surroundings_.probe->FirstToken(now - arrived_);
  } else {
    surroundings_.probe->NextToken((now - last_token_) / static_cast<int64_t>(tokens->ids.size()));
  }
  last_token_ = now;
}

}  // namespace switchboard::router
