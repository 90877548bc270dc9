#include "worker/engine/engine.h"

#include <utility>

#include "base/check.h"
#include "base/status_macros.h"
#include "worker/engine/validate.h"

namespace switchboard::engine {
namespace {

absl::Status Stopped() { return absl::UnavailableError("the engine is stopping"); }

}  // namespace

Engine::Engine(model::Model* model, EngineOptions options, const Clock& clock,
               EngineObserver* observer)
    : model_(model),
      options_(std::move(options)),
      clock_(clock),
      observer_(observer != nullptr ? observer : &no_observer_),
      inbox_(options_.max_waiting) {}

Engine::~Engine() { Stop(absl::ZeroDuration()); }

absl::Status Engine::Start() {
  CHECK(stepper_ == nullptr);
  RETURN_IF_ERROR(ValidateOptions(options_, model_->shape()));
  ASSIGN_OR_RETURN(std::unique_ptr<model::KvCache> cache, model_->NewKvCache(options_.kv_pages));
  stepper_ = std::make_unique<Stepper>(model_, std::move(cache), options_, clock_, observer_);
  Publish(false);
  inbox_.Open();
  thread_ = std::thread([this] { Run(); });
  return absl::OkStatus();
}

absl::StatusOr<uint64_t> Engine::Submit(Request request, std::shared_ptr<EventSink> sink) {
  RETURN_IF_ERROR(ValidateRequest(request, options_, model_->shape()));
  return inbox_.Put(std::move(request), std::move(sink), clock_.Monotonic());
}

void Engine::Cancel(uint64_t id) { inbox_.Cancel(id); }

void Engine::Wake() { inbox_.Wake(); }

EngineStats Engine::Stats() const {
  const int waiting = inbox_.waiting();
  MutexLock lock(&mutex_);
  EngineStats stats = stats_;
  stats.waiting = waiting;
  return stats;
}

void Engine::Stop(absl::Duration grace) {
  if (!thread_.joinable()) return;
  inbox_.Close(clock_.Monotonic() + grace);
  thread_.join();
}

void Engine::Run() {
  absl::Duration wait = absl::InfiniteDuration();
  while (ReadMail(wait)) {
    const bool runnable = stepper_->Plan();
    inbox_.SetWaiting(stepper_->waiting_requests());
    Publish(runnable);
    if (!runnable) {
      wait = stop_by_ - clock_.Monotonic();
      continue;
    }
    stepper_->Compute();
    for (const uint64_t id : inbox_.TakeCancelled()) stepper_->Cancel(id);
    stepper_->Emit();
    wait = absl::ZeroDuration();
  }
  inbox_.SetWaiting(0);
  Publish(false);
}

bool Engine::ReadMail(absl::Duration wait) {
  Mail mail = inbox_.Take(wait);
  for (Arrival& arrival : mail.arrivals) {
    stepper_->Add(arrival.id, std::move(arrival.request), std::move(arrival.sink),
                  arrival.submitted_at);
  }
  for (const uint64_t id : mail.cancelled) stepper_->Cancel(id);
  if (mail.stop_by.has_value()) {
    stopping_ = true;
    stop_by_ = *mail.stop_by;
    stepper_->FailWaiting(Stopped());
  }
  if (clock_.Monotonic() >= stop_by_) stepper_->FailAll(Stopped());
  // Nothing can arrive any more: the inbox was closed with the order to stop.
  return !stopping_ || !stepper_->empty();
}

void Engine::Publish(bool runnable) {
  const EngineStats stats = stepper_->stats();
  MutexLock lock(&mutex_);
  stats_ = stats;
  stats_.runnable = runnable;
}

}  // namespace switchboard::engine
