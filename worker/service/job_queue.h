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

// A bounded queue before a few threads. Jobs take turns: one that wants more goes behind those that
// wait, so a long one holds the others up for one turn at a time. Thread-safe; Stop and the
// destructor from one thread.
class JobQueue {
 public:
  // One turn, on a thread of the queue: `stopped` is false; true asks for another turn. Or once
  // with `stopped` true, when the queue stops before the job is done: to tell whoever waits for it;
  // what it returns does not matter then.
  using Job = std::function<bool(bool stopped)>;

  JobQueue(int threads, size_t max_waiting);
  // As Stop.
  ~JobQueue();
  JobQueue(const JobQueue&) = delete;
  JobQueue& operator=(const JobQueue&) = delete;

  // ResourceExhausted when `max_waiting` jobs wait already, Unavailable once the queue stops; the
  // job is then never called.
  absl::Status Add(Job job);

  // Jobs that are not done: waiting, or having their turn.
  int unfinished() const;

  // Takes no more jobs and drops those that wait. Does not wait for the turns being taken, which
  // are the last ones.
  void BeginStop();
  // BeginStop, and waits for the turns being taken. Later calls do nothing.
  void Stop();

 private:
  void Run();

  const size_t max_waiting_;
  mutable Mutex mutex_;
  CondVar changed_;
  std::deque<Job> waiting_ GUARDED_BY(mutex_);
  int running_ GUARDED_BY(mutex_) = 0;
  bool stopping_ GUARDED_BY(mutex_) = false;
  std::vector<std::thread> threads_;  // set by the constructor, joined by Stop
};

}  // namespace switchboard::worker

#endif  // SWITCHBOARD_WORKER_SERVICE_JOB_QUEUE_H_
