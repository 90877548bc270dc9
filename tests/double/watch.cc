#include "tests/double/watch.h"

#include <utility>

#include "base/clock.h"

namespace switchboard::doubles {
namespace {

constexpr absl::Duration kPeriod = absl::Milliseconds(20);
constexpr absl::Duration kLongest = absl::Seconds(1);

}  // namespace

Watch::Watch(v1::WorkerReport base, const Load* load, Ticker* ticker,
             std::function<bool()> draining)
    : load_(load), ticker_(ticker), draining_(std::move(draining)), report_(std::move(base)) {}

void Watch::Begin() {
  self_ = shared_from_this();
  Look();
}

void Watch::Look() {
  {
    MutexLock lock(&mutex_);
    if (busy_ || ending_) return;
    const Load::Counts counts = load_->counts();
    const bool draining = draining_();
    const absl::Duration now = SystemClock().Monotonic();
    const bool changed = counts.running != last_.running || counts.waiting != last_.waiting ||
                         draining != was_draining_;
    if (!changed && now - last_time_ < kLongest) return LookAgain();
    last_ = counts;
    was_draining_ = draining;
    last_time_ = now;
    report_.set_running(counts.running);
    report_.set_waiting(counts.waiting);
    report_.set_steps(counts.steps);
    report_.set_draining(draining);
    busy_ = true;
  }
  StartWrite(&report_);
}

void Watch::LookAgain() {
  ticker_->At(SystemClock().Monotonic() + kPeriod, [weak = weak_from_this()] {
    if (const auto watch = weak.lock(); watch != nullptr) watch->Look();
  });
}

void Watch::End() {
  {
    MutexLock lock(&mutex_);
    ending_ = true;
    if (busy_ || std::exchange(ended_, true)) return;
  }
  Finish(grpc::Status::CANCELLED);
}

void Watch::OnWriteDone(bool ok) {
  bool ending;
  {
    MutexLock lock(&mutex_);
    busy_ = false;
    report_.clear_models();
    ending = ending_ || !ok;
  }
  if (ending) {
    End();
  } else {
    LookAgain();
  }
}

void Watch::OnCancel() { End(); }

void Watch::OnDone() { const std::shared_ptr<Watch> last = std::move(self_); }

}  // namespace switchboard::doubles
