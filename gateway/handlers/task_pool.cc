#include "gateway/handlers/task_pool.h"

#include <utility>

namespace switchboard::gateway {

TaskPool::TaskPool(int threads, size_t max_waiting) : max_waiting_(max_waiting) {
  for (int i = 0; i < threads; ++i) threads_.emplace_back([this] { Run(); });
}

TaskPool::~TaskPool() {
  {
    MutexLock lock(&mutex_);
    stopping_ = true;
    changed_.NotifyAll();
  }
  for (std::thread& thread : threads_) thread.join();
}

bool TaskPool::Submit(std::function<void()> task) {
  MutexLock lock(&mutex_);
  if (tasks_.size() >= max_waiting_) return false;
  tasks_.push_back(std::move(task));
  changed_.NotifyOne();
  return true;
}

void TaskPool::Run() {
  for (;;) {
    std::function<void()> task;
    {
      MutexLock lock(&mutex_);
      while (tasks_.empty() && !stopping_) changed_.Wait(&mutex_);
      if (tasks_.empty()) return;
      task = std::move(tasks_.front());
      tasks_.pop_front();
    }
    task();
  }
}

}  // namespace switchboard::gateway
