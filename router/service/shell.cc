#include "router/service/shell.h"

#include <random>

#include "base/check.h"

namespace switchboard::router {
namespace {

std::mt19937_64 SeededRng() {
  std::random_device device;
  return std::mt19937_64((uint64_t{device()} << 32) | device());
}

}  // namespace

Shell::Shell(CoreOptions options, std::vector<std::string> workers,
             std::vector<v1::Inference::Stub*> stubs, const Clock* clock, Probe* probe)
    : surroundings_{clock, probe,
                    [stubs = std::move(stubs)](WorkerIndex worker) {
                      return stubs[static_cast<size_t>(worker)];
                    },
                    [this](AttemptKey attempt) { return ListenerFor(attempt); }},
      probe_(probe),
      core_(std::move(options), std::move(workers), clock, SeededRng()),
      timers_([this] { RunTimers(); }) {}

Shell::~Shell() {
  {
    MutexLock lock(&mutex_);
    CHECK(strands_.empty());
    stopping_ = true;
    changed_.NotifyAll();
  }
  timers_.join();
}

void Shell::Open(ClientStream* client, v1::GenerateRequest request, RequestInfo info) {
  auto strand =
      std::make_unique<Strand>(std::make_unique<Relay>(surroundings_, client, std::move(request)));
  std::vector<RequestKey> idle;
  {
    MutexLock lock(&mutex_);
    const RequestKey key = ++last_request_;
    client->SetListener(
        {[this, key](size_t bytes) { Tell([&](Core* core) { core->ClientWrote(key, bytes); }); },
         [this, key] { Tell([&](Core* core) { core->ClientLeft(key); }); }});
    strands_.emplace(key, std::move(strand));
    core_.Arrive(key, std::move(info));
    idle = Settle();
  }
  for (const RequestKey key : idle) CarryAll(key);
}

AttemptStream::Listener Shell::ListenerFor(AttemptKey attempt) {
  return {[this, attempt](StreamEvent event, size_t bytes) {
            Tell([&](Core* core) { core->AttemptEvent(attempt, std::move(event), bytes); });
          },
          [this, attempt](const absl::Status& status, absl::Duration retry_after) {
            probe_->AttemptEnded(status.code());
            Tell([&](Core* core) { core->AttemptEnded(attempt, status, retry_after); });
          }};
}

void Shell::Reported(WorkerIndex worker, WorkerReport report) {
  Tell([&](Core* core) { core->Reported(worker, std::move(report)); });
}

void Shell::WorkerLost(WorkerIndex worker) {
  Tell([&](Core* core) { core->WorkerLost(worker); });
}

void Shell::Stop() {
  Tell([](Core* core) { core->Stop(); });
}

void Shell::Abandon() {
  Tell([](Core* core) { core->Abandon(); });
}

std::vector<ModelName> Shell::Models() {
  MutexLock lock(&mutex_);
  return core_.workers().Models();
}

absl::StatusOr<std::pair<WorkerIndex, ModelName>> Shell::CardSource(absl::string_view model) {
  MutexLock lock(&mutex_);
  return core_.CardSource(model);
}

CoreCounts Shell::Counts() {
  MutexLock lock(&mutex_);
  return core_.counts();
}

bool Shell::Ready() {
  MutexLock lock(&mutex_);
  return !core_.stopping() && core_.counts().available > 0;
}

bool Shell::WaitForRest(absl::Duration limit) {
  const absl::Duration deadline = surroundings_.clock->Monotonic() + limit;
  MutexLock lock(&mutex_);
  while (!strands_.empty()) {
    const absl::Duration left = deadline - surroundings_.clock->Monotonic();
    if (left <= absl::ZeroDuration()) return false;
    changed_.WaitFor(&mutex_, left);
  }
  return true;
}

void Shell::Tell(absl::FunctionRef<void(Core*)> event) {
  std::vector<RequestKey> idle;
  {
    MutexLock lock(&mutex_);
    event(&core_);
    idle = Settle();
  }
  for (const RequestKey key : idle) CarryAll(key);
}

std::vector<RequestKey> Shell::Settle() {
  const CoreCounts counts = core_.counts();
  probe_->SetLoad(counts.running, counts.waiting, counts.held_bytes);
  const auto wake = core_.NextWake();
  if (wake.has_value() && *wake < alarm_) changed_.NotifyAll();
  std::vector<RequestKey> idle;
  for (Command& command : core_.TakeCommands()) {
    const RequestKey key = command.request;
    Strand* strand = strands_.at(key).get();
    strand->commands.push_back(std::move(command));
    if (!std::exchange(strand->busy, true)) idle.push_back(key);
  }
  return idle;
}

void Shell::CarryAll(RequestKey key) {
  MutexLock lock(&mutex_);
  Strand* const strand = strands_.at(key).get();
  while (!strand->commands.empty()) {
    std::vector<Command> commands = std::exchange(strand->commands, {});
    lock.Unlock();
    for (Command& command : commands) strand->relay->Carry(std::move(command));
    lock.Lock();
  }
  strand->busy = false;
  if (!strand->relay->AtRest()) return;
  strands_.erase(key);
  changed_.NotifyAll();
}

void Shell::RunTimers() {
  MutexLock lock(&mutex_);
  while (!stopping_) {
    const auto wake = core_.NextWake();
    const absl::Duration left =
        wake.value_or(absl::InfiniteDuration()) - surroundings_.clock->Monotonic();
    if (left <= absl::ZeroDuration()) {
      lock.Unlock();
      Tell([](Core* core) { core->Tick(); });
      lock.Lock();
      continue;
    }
    alarm_ = wake.value_or(absl::InfiniteDuration());
    changed_.WaitFor(&mutex_, left);
    alarm_ = absl::ZeroDuration();  // awake: nobody need ring
  }
}

}  // namespace switchboard::router
