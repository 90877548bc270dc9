// A clock that moves only when told to.
#ifndef SWITCHBOARD_TESTS_SUPPORT_MANUAL_CLOCK_H_
#define SWITCHBOARD_TESTS_SUPPORT_MANUAL_CLOCK_H_

#include "base/clock.h"
#include "base/mutex.h"

namespace switchboard {

// Thread-safe. Wall time and monotonic time advance together.
class ManualClock final : public Clock {
 public:
  explicit ManualClock(absl::Time start = absl::UnixEpoch()) : start_(start) {}

  absl::Time Now() const override { return start_ + Monotonic(); }
  absl::Duration Monotonic() const override {
    MutexLock lock(&mutex_);
    return elapsed_;
  }
  void Advance(absl::Duration step) {
    MutexLock lock(&mutex_);
    elapsed_ += step;
  }

 private:
  const absl::Time start_;
  mutable Mutex mutex_;
  absl::Duration elapsed_ GUARDED_BY(mutex_);
};

}  // namespace switchboard

#endif  // SWITCHBOARD_TESTS_SUPPORT_MANUAL_CLOCK_H_
