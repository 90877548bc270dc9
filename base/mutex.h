// std::mutex with thread-safety annotations: the only lock of the project (ThreadSanitizer
// understands it fully, which it does not of the packaged absl::Mutex).
#ifndef SWITCHBOARD_BASE_MUTEX_H_
#define SWITCHBOARD_BASE_MUTEX_H_

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>

#include "absl/time/time.h"
#include "base/thread_annotations.h"

namespace switchboard {

class CAPABILITY("mutex") Mutex {
 public:
  Mutex() = default;
  Mutex(const Mutex&) = delete;
  Mutex& operator=(const Mutex&) = delete;

  void Lock() ACQUIRE() { mutex_.lock(); }
  void Unlock() RELEASE() { mutex_.unlock(); }

 private:
  friend class CondVar;
  std::mutex mutex_;
};

// Holds a mutex for a scope. Code that must call out with the mutex released uses Unlock/Lock in
// pairs; the destructor expects it held.
class SCOPED_CAPABILITY MutexLock {
 public:
  explicit MutexLock(Mutex* mutex) ACQUIRE(mutex) : mutex_(mutex) { mutex_->Lock(); }
  ~MutexLock() RELEASE() { mutex_->Unlock(); }
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

  void Unlock() RELEASE() { mutex_->Unlock(); }
  void Lock() ACQUIRE() { mutex_->Lock(); }

 private:
  Mutex* const mutex_;
};

// Wakes waiters of one mutex. Spurious wake-ups occur: wait in a loop on the condition.
class CondVar {
 public:
  void Wait(Mutex* mutex) REQUIRES(mutex) {
    std::unique_lock<std::mutex> lock(mutex->mutex_, std::adopt_lock);
    condition_.wait(lock);
    lock.release();
  }
  // False when `timeout` passed without a wake-up. Any duration will do, InfiniteDuration too.
  bool WaitFor(Mutex* mutex, absl::Duration timeout) REQUIRES(mutex) {
    std::unique_lock<std::mutex> lock(mutex->mutex_, std::adopt_lock);
    // The clock's own arithmetic overflows beyond some centuries.
    const absl::Duration bounded = std::clamp(timeout, absl::ZeroDuration(), absl::Hours(24 * 365));
    const auto result = condition_.wait_for(lock, absl::ToChronoNanoseconds(bounded));
    lock.release();
    return result == std::cv_status::no_timeout;
  }
  void NotifyOne() { condition_.notify_one(); }
  void NotifyAll() { condition_.notify_all(); }

 private:
  std::condition_variable condition_;
};

}  // namespace switchboard

#endif  // SWITCHBOARD_BASE_MUTEX_H_
