#include "gateway/handlers/preparation.h"

#include <exception>
#include <utility>

#include "base/log.h"
#include "base/status_macros.h"
#include "gateway/openai/error.h"

namespace switchboard::gateway {

Preparation::Preparation(Endpoint endpoint, http::Request request, const Services* services,
                         absl::Time deadline)
    : endpoint_(endpoint),
      request_(std::move(request)),
      services_(*services),
      deadline_(deadline) {}

void Preparation::Submit() {
  if (services_.pool->Submit([self = shared_from_this()] { self->Run(); })) return;
  Publish(openai::Error("server_is_overloaded", "", "Too many requests are being prepared."));
}

void Preparation::SubmitAgain() {
  services_.directory->LookAgain([self = shared_from_this()] {
    if (!self->abandoned()) self->Submit();
  });
}

std::optional<absl::StatusOr<Begun>> Preparation::Take() {
  std::optional<absl::StatusOr<Begun>> result;
  MutexLock lock(&mutex_);
  result.swap(result_);
  return result;
}

void Preparation::NotifyWhenReady(std::function<void()> wake) {
  {
    MutexLock lock(&mutex_);
    if (!result_.has_value()) {
      wake_ = std::move(wake);
      return;
    }
    wake_ = nullptr;
  }
  wake();
}

void Preparation::Abandon() {
  std::optional<absl::StatusOr<Begun>> result;  // destroyed, and so cancelled, without the lock
  MutexLock lock(&mutex_);
  abandoned_ = true;
  wake_ = nullptr;
  result.swap(result_);
}

void Preparation::Run() {
  if (abandoned()) return;
  // The boundary of the task: whatever is thrown below, by memory that is not there, costs this one
  // request and not the process.
  absl::StatusOr<Begun> result = absl::InternalError("nothing was prepared");
  try {
    result = Begin();
  } catch (const std::exception& error) {
    LOG_REQUEST(ERROR, request_.request_id) << "preparing the request failed: " << error.what();
    result = openai::Error("internal_error", "", "preparing the request failed");
  }
  Publish(std::move(result));
}

void Preparation::Publish(absl::StatusOr<Begun> result) {
  std::function<void()> wake;
  {
    MutexLock lock(&mutex_);
    if (!abandoned_) result_ = std::move(result);
    wake.swap(wake_);
  }
  if (wake) wake();
}

bool Preparation::abandoned() const {
  MutexLock lock(&mutex_);
  return abandoned_;
}

absl::StatusOr<Begun> Preparation::Begin() {
  const std::shared_ptr<const DirectorySnapshot> models = services_.directory->Get();
  const auto prepare = endpoint_ == Endpoint::kChat ? PrepareChat : PrepareCompletion;
  ASSIGN_OR_RETURN(Prepared prepared,
                   prepare(request_, *models, *services_.clock, services_.draw_seed()));
  if (!std::exchange(counted_, true)) services_.probe->OnIgnoredFields(prepared.ignored_fields);
  Begun begun;
  begun.generation = services_.generator->Start(prepared.call, deadline_);
  begun.plan = std::move(prepared.plan);
  begun.model = std::move(prepared.call.model);
  begun.streamed = prepared.streamed;
  return begun;
}

}  // namespace switchboard::gateway
