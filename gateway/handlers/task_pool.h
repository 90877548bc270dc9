// Threads for work that would hold up an I/O thread: parsing a large body, rendering a template,
// tokenising. The queue is bounded: who does not get in is told so at once.
#ifndef SWITCHBOARD_GATEWAY_HANDLERS_TASK_POOL_H_
#define SWITCHBOARD_GATEWAY_HANDLERS_TASK_POOL_H_

#include <deque>
#include <functional>
#include <thread>
#include <vector>

#include "base/mutex.h"

namespace switchboard::gateway {

// Thread-safe.
class TaskPool {
 public:
  TaskPool(int threads, size_t max_waiting);
  // Runs what is waiting, then stops.
  ~TaskPool();
  TaskPool(const TaskPool&) = delete;
  TaskPool& operator=(const TaskPool&) = delete;

  // Runs `task`, which must not throw, soon on one of the threads; false when too many wait.
  bool Submit(std::function<void()> task) EXCLUDES(mutex_);

 private:
  void Run() EXCLUDES(mutex_);

  const size_t max_waiting_;
  Mutex mutex_;
  CondVar changed_;
  std::deque<std::function<void()>> tasks_ GUARDED_BY(mutex_);
  bool stopping_ GUARDED_BY(mutex_) = false;
  std::vector<std::thread> threads_;
};

}  // namespace switchboard::gateway

#endif  // SWITCHBOARD_GATEWAY_HANDLERS_TASK_POOL_H_
