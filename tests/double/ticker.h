// One thread that calls functions at their time, to within the scheduler's accuracy (tens of
// microseconds; gRPC's own timers count milliseconds).
#ifndef SWITCHBOARD_TESTS_DOUBLE_TICKER_H_
#define SWITCHBOARD_TESTS_DOUBLE_TICKER_H_

#include <functional>
#include <map>
#include <thread>

#include "absl/time/time.h"
#include "base/clock.h"
#include "base/mutex.h"
#include "base/thread_annotations.h"

namespace switchboard::doubles {

// Thread-safe.
class Ticker {
 public:
  Ticker();
  // What is not yet due is dropped.
  ~Ticker();

  // `when`: on the monotonic clock. `what` must not block; it is called without locks.
  void At(absl::Duration when, std::function<void()> what) EXCLUDES(mutex_);

 private:
  void Run() EXCLUDES(mutex_);

  Mutex mutex_;
  CondVar changed_;
  std::multimap<absl::Duration, std::function<void()>> agenda_ GUARDED_BY(mutex_);
  bool stopping_ GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace switchboard::doubles

#endif  // SWITCHBOARD_TESTS_DOUBLE_TICKER_H_
