#include "tests/unit/http/scripted_handler.h"

#include "base/clock.h"

namespace switchboard::http {

std::unique_ptr<Exchange> ReplyText(std::string text) {
  Head head;
  head.headers.emplace_back("Content-Type", "text/plain");
  return ReplyWith(std::move(head), std::move(text));
}

// The server's end of a ManualStream.
class ManualStream::Side : public Exchange {
 public:
  explicit Side(std::shared_ptr<State> state) : state_(std::move(state)) {
    MutexLock lock(&state_->mutex);
    state_->started = true;
    state_->changed.NotifyAll();
  }
  ~Side() override {
    MutexLock lock(&state_->mutex);
    state_->destroyed = true;
    state_->changed.NotifyAll();
  }
  Step Next() override {
    MutexLock lock(&state_->mutex);
    if (state_->steps.empty()) return Step();
    Step step = std::move(state_->steps.front());
    state_->steps.pop_front();
    ++state_->taken;
    state_->changed.NotifyAll();
    return step;
  }
  void NotifyWhenReady(std::function<void()> wake) override {
    MutexLock lock(&state_->mutex);
    const bool ready = !state_->steps.empty();
    if (!ready) state_->wake = wake;
    state_->changed.NotifyAll();
    lock.Unlock();
    if (ready) wake();
    lock.Lock();
  }

  void EndEarly() override {
    MutexLock lock(&state_->mutex);
    if (state_->farewell.empty()) return;
    Step last;
    last.kind = Step::kBody;
    last.body = state_->farewell;
    state_->steps.push_back(std::move(last));
    Step end;
    end.kind = Step::kEnd;
    state_->steps.push_back(std::move(end));
  }

 private:
  const std::shared_ptr<State> state_;
};

std::unique_ptr<Exchange> ManualStream::MakeExchange() { return std::make_unique<Side>(state_); }

void ManualStream::Say(Step step) {
  std::function<void()> wake;
  {
    MutexLock lock(&state_->mutex);
    state_->steps.push_back(std::move(step));
    wake = std::exchange(state_->wake, nullptr);
  }
  if (wake) wake();
}

void ManualStream::SayHead(Head head) {
  Step step;
  step.kind = Step::kHead;
  step.head = std::move(head);
  Say(std::move(step));
}

void ManualStream::SayBody(std::string body) {
  Step step;
  step.kind = Step::kBody;
  step.body = std::move(body);
  Say(std::move(step));
}

void ManualStream::SayEnd() {
  Step step;
  step.kind = Step::kEnd;
  Say(std::move(step));
}

void ManualStream::SetFarewell(std::string body) {
  MutexLock lock(&state_->mutex);
  state_->farewell = std::move(body);
}

Head ManualStream::StreamHead(std::string heartbeat) {
  Head head;
  head.headers.emplace_back("Content-Type", "text/event-stream");
  head.streamed = true;
  head.heartbeat = std::move(heartbeat);
  return head;
}

bool ManualStream::Await(const std::function<bool(State&)>& condition) {
  const absl::Duration deadline = SystemClock().Monotonic() + absl::Seconds(10);
  MutexLock lock(&state_->mutex);
  while (!condition(*state_)) {
    const absl::Duration left = deadline - SystemClock().Monotonic();
    if (left <= absl::ZeroDuration()) return false;
    state_->changed.WaitFor(&state_->mutex, left);
  }
  return true;
}

bool ManualStream::AwaitStarted() {
  return Await([](State& state) NO_THREAD_SAFETY_ANALYSIS { return state.started; });
}

bool ManualStream::AwaitWaiting() {
  return Await([](State& state) NO_THREAD_SAFETY_ANALYSIS { return state.wake != nullptr; });
}

bool ManualStream::AwaitDestroyed() {
  return Await([](State& state) NO_THREAD_SAFETY_ANALYSIS { return state.destroyed; });
}

bool ManualStream::destroyed() {
  MutexLock lock(&state_->mutex);
  return state_->destroyed;
}

int ManualStream::taken() {
  MutexLock lock(&state_->mutex);
  return state_->taken;
}

}  // namespace switchboard::http
