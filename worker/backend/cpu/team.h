// The worker's threads: one persistent team that computes every op together.
#ifndef SWITCHBOARD_WORKER_BACKEND_CPU_TEAM_H_
#define SWITCHBOARD_WORKER_BACKEND_CPU_TEAM_H_

#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

#include "absl/functional/function_ref.h"

namespace switchboard::backend {

// Processors this process may use: affinity and the cgroup's quota, at least 1.
int UsableProcessors();

// All methods from one thread, which is member 0. Subnormal numbers count as zero in all members
// while they work.
class Team {
 public:
  // Computes units [begin, end).
  using Work = absl::FunctionRef<void(int64_t begin, int64_t end)>;

  // REQUIRES: members >= 1.
  explicit Team(int members);
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  int members() const { return static_cast<int>(threads_.size()) + 1; }

  // Divides `units` evenly among the members, in order, and returns when all are done. `cost` is
  // the rough number of arithmetic operations in total: little work is done by the caller alone,
  // without waking anybody.
  void Run(int64_t units, int64_t cost, Work work);

 private:
  void Serve(int member);

  std::vector<std::thread> threads_;
  // The job in hand: written by Run before `generation_` announces it, read by the members after.
  const Work* work_ = nullptr;
  int64_t units_ = 0;
  std::atomic<uint32_t> generation_{0};
  std::atomic<uint32_t> unfinished_{0};
  std::atomic<bool> stopping_{false};
};

}  // namespace switchboard::backend

#endif  // SWITCHBOARD_WORKER_BACKEND_CPU_TEAM_H_
