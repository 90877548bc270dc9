// Threads of their own for work that would hold up the threads of gRPC.
#ifndef SWITCHBOARD_WORKER_SERVICE_JOB_QUEUE_H_
#define SWITCHBOARD_WORKER_SERVICE_JOB_QUEUE_H_

#include <cstddef>
#include <deque>
#include <functional>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "base/mutex.h"

namespace switchboard::worker {

// A bounded queue before a few threads. Thread-safe; Stop and the destructor from one thread.
class JobQueue {
 public:
  // Called once: by a thread of the queue with `stopped` false, to do the work, or by Stop with
  // `stopped` true, to tell whoever waits for it that it will not be done.
  using Job = std::function<void(bool stopped)>;

  JobQueue(int threads, size_t max_waiting);
  // As Stop.
  ~JobQueue();
  JobQueue(const JobQueue&) = delete;
  JobQueue& operator=(const JobQueue&) = delete;

  // ResourceExhausted when `max_waiting` jobs wait already, Unavailable once Stop was called; the
  // job is then never called.
  absl::Status Add(Job job);

  // Drops the jobs that wait and returns when the running ones are done. Later calls do nothing.
  void Stop();

 private:
  void Run();

  const size_t max_waiting_;
  Mutex mutex_;
  CondVar changed_;
  std::deque<Job> jobs_ GUARDED_BY(mutex_);
  bool stopping_ GUARDED_BY(mutex_) = false;
  std::vector<std::thread> threads_;  // set by the constructor, joined by Stop
};

}  // namespace switchboard::worker

#endif  // SWITCHBOARD_WORKER_SERVICE_JOB_QUEUE_H_
