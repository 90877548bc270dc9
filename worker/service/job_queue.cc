#include "worker/service/job_queue.h"

#include <utility>

namespace switchboard::worker {

JobQueue::JobQueue(int threads, size_t max_waiting) : max_waiting_(max_waiting) {
  for (int i = 0; i < threads; ++i) threads_.emplace_back([this] { Run(); });
}

JobQueue::~JobQueue() { Stop(); }

absl::Status JobQueue::Add(Job job) {
  MutexLock lock(&mutex_);
  if (stopping_) return absl::UnavailableError("the worker is stopping");
  if (jobs_.size() >= max_waiting_) {
    return absl::ResourceExhaustedError("too many images wait for decoding; try again later");
  }
  jobs_.push_back(std::move(job));
  changed_.NotifyOne();
  return absl::OkStatus();
}

void JobQueue::Stop() {
  std::deque<Job> dropped;
  {
    MutexLock lock(&mutex_);
    stopping_ = true;
    dropped.swap(jobs_);
    changed_.NotifyAll();
  }
  for (const Job& job : dropped) job(/*stopped=*/true);
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

void JobQueue::Run() {
  for (;;) {
    Job job;
    {
      MutexLock lock(&mutex_);
      while (jobs_.empty() && !stopping_) changed_.Wait(&mutex_);
      if (jobs_.empty()) return;
      job = std::move(jobs_.front());
      jobs_.pop_front();
    }
    job(/*stopped=*/false);
  }
}

}  // namespace switchboard::worker
