// How many requests the double has: it computes so many choices at once, lets so many requests
// wait, and refuses the rest.
#ifndef SWITCHBOARD_TESTS_DOUBLE_LOAD_H_
#define SWITCHBOARD_TESTS_DOUBLE_LOAD_H_

#include <cstdint>
#include <functional>
#include <map>

#include "absl/status/status.h"
#include "base/mutex.h"
#include "base/thread_annotations.h"

namespace switchboard::doubles {

// Thread-safe.
class Load {
 public:
  struct Counts {
    int running = 0;                 // choices
    int waiting = 0;                 // requests
    uint64_t steps = 0;              // tokens sent
    int64_t started = 0, ended = 0;  // requests, since the beginning
    bool operator==(const Counts&) const = default;
  };

  Load(int max_running, int max_waiting) : max_running_(max_running), max_waiting_(max_waiting) {}

  // Calls `start` now, or later from whichever thread leaves; ResourceExhausted when too many wait.
  // `id`: unique.
  absl::Status Enter(uint64_t id, int choices, std::function<void()> start) EXCLUDES(mutex_);
  // The request of `id`, started or waiting, is over. Nothing happens for one that never entered.
  void Leave(uint64_t id) EXCLUDES(mutex_);
  void CountToken() EXCLUDES(mutex_);

  Counts counts() const EXCLUDES(mutex_);

 private:
  struct Guest {
    int choices = 0;
    std::function<void()> start;  // null: started
  };

  const int max_running_;
  const int max_waiting_;
  mutable Mutex mutex_;
  Counts counts_ GUARDED_BY(mutex_);
  std::map<uint64_t, Guest> guests_ GUARDED_BY(mutex_);  // ids ascend: in order of arrival
};

}  // namespace switchboard::doubles

#endif  // SWITCHBOARD_TESTS_DOUBLE_LOAD_H_
