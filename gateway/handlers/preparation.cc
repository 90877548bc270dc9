#include "gateway/handlers/preparation.h"

#include <utility>

#include "base/status_macros.h"

namespace switchboard::gateway {

Preparation::Preparation(Endpoint endpoint, http::Request request, const Services* services,
                         absl::Time deadline)
    : endpoint_(endpoint),
      request_(std::move(request)),
      services_(*services),
      deadline_(deadline) {}

bool Preparation::Submit(bool refresh) {
  return services_.pool->Submit([self = shared_from_this(), refresh] { self->Run(refresh); });
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

void Preparation::Run(bool refresh) {
  {
    MutexLock lock(&mutex_);
    if (abandoned_) return;
  }
  absl::StatusOr<Begun> result = Begin(refresh);
  std::function<void()> wake;
  {
    MutexLock lock(&mutex_);
    if (!abandoned_) result_ = std::move(result);
    wake.swap(wake_);
  }
  if (wake) wake();
}

absl::StatusOr<Begun> Preparation::Begin(bool refresh) {
  if (refresh) services_.directory->Refresh();
  const std::shared_ptr<const DirectorySnapshot> models = services_.directory->Get();
  const auto prepare = endpoint_ == Endpoint::kChat ? PrepareChat : PrepareCompletion;
  ASSIGN_OR_RETURN(Prepared prepared,
                   prepare(request_, *models, *services_.clock, services_.draw_seed()));
  services_.probe->OnIgnoredFields(prepared.ignored_fields);
  Begun begun;
  begun.generation = services_.generator->Start(prepared.call, deadline_);
  begun.plan = std::move(prepared.plan);
  begun.model = std::move(prepared.call.model);
  begun.streamed = prepared.streamed;
  return begun;
}

}  // namespace switchboard::gateway
