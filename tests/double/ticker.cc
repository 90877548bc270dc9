#include "tests/double/ticker.h"

#include <utility>

namespace switchboard::doubles {

Ticker::Ticker() : thread_([this] { Run(); }) {}

Ticker::~Ticker() {
  {
    MutexLock lock(&mutex_);
    stopping_ = true;
    changed_.NotifyAll();
  }
  thread_.join();
}

void Ticker::At(absl::Duration when, std::function<void()> what) {
  MutexLock lock(&mutex_);
  const bool is_first = agenda_.empty() || when < agenda_.begin()->first;
  agenda_.emplace(when, std::move(what));
  if (is_first) changed_.NotifyAll();
}

void Ticker::Run() {
  MutexLock lock(&mutex_);
  while (!stopping_) {
    if (agenda_.empty()) {
      changed_.Wait(&mutex_);
      continue;
    }
    const absl::Duration left = agenda_.begin()->first - SystemClock().Monotonic();
    if (left > absl::ZeroDuration()) {
      changed_.WaitFor(&mutex_, left);
      continue;
    }
    const std::function<void()> what = std::move(agenda_.begin()->second);
    agenda_.erase(agenda_.begin());
    lock.Unlock();
    what();
    lock.Lock();
  }
}

}  // namespace switchboard::doubles
