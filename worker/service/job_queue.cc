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
  if (waiting_.size() >= max_waiting_) {
    return absl::ResourceExhaustedError("too many images wait for decoding; try again later");
  }
  waiting_.push_back(std::move(job));
  changed_.NotifyOne();
  return absl::OkStatus();
}

int JobQueue::unfinished() const {
  MutexLock lock(&mutex_);
  return static_cast<int>(waiting_.size()) + running_;
}

void JobQueue::BeginStop() {
  std::deque<Job> dropped;
  {
    MutexLock lock(&mutex_);
    stopping_ = true;
    dropped.swap(waiting_);
    changed_.NotifyAll();
  }
  for (const Job& job : dropped) job(/*stopped=*/true);
}

void JobQueue::Stop() {
  BeginStop();
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

void JobQueue::Run() {
  for (;;) {
    Job job;
    {
      MutexLock lock(&mutex_);
      while (waiting_.empty() && !stopping_) changed_.Wait(&mutex_);
      if (waiting_.empty()) return;
      job = std::move(waiting_.front());
      waiting_.pop_front();
      ++running_;
    }
    const bool wants_more = job(/*stopped=*/false);
    {
      MutexLock lock(&mutex_);
      --running_;
      if (!wants_more) continue;
      if (!stopping_) {
        waiting_.push_back(std::move(job));
        continue;
      }
    }
    job(/*stopped=*/true);
  }
}

}  // namespace switchboard::worker
