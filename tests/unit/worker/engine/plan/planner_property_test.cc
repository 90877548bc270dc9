// The planner under random loads: budgets are kept, pages add up, everyone finishes, the oldest
// never waits.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "worker/engine/plan/planner.h"
#include "worker/model/model.h"

namespace switchboard::engine {
namespace {

// What the engine would do with the plans, reduced to numbers.
class Simulation {
 public:
  Simulation(unsigned seed, PlanLimits limits, int pages)
      : random_(seed), limits_(limits), pages_(pages), free_pages_(pages) {}

  void Run(int requests) {
    while (arrived_ < requests || !running_.empty() || !waiting_.empty()) {
      if (arrived_ < requests && Uniform(0, 3) == 0) Arrive();
      Turn();
      if (testing::Test::HasFatalFailure()) return;
    }
    EXPECT_EQ(free_pages_, pages_);
    EXPECT_EQ(finished_, requests);
  }

  int preemptions() const { return preemptions_; }

 private:
  struct Job {
    int number = 0;
    int known = 0, computed = 0, limit = 0, pages = 0;
    int held_for = 0;  // turns for which its reader is not ready
    int held_turns = 0;
    int encoding_steps = 0;  // before its first token may be computed
  };

  int Uniform(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }

  void Arrive() {
    Job job;
    job.number = arrived_++;
    job.known = Uniform(1, pages_ * 64 * 3 / 4);
    job.limit = std::min(job.known + Uniform(1, 200), pages_ * 64);
    job.encoding_steps = Uniform(0, 3) == 0 ? Uniform(1, 5) : 0;
    waiting_.push_back(job);
  }

  static bool Older(const Job& a, const Job& b) { return a.number < b.number; }

  PlanInput View() {
    running_views_.clear();
    for (Job& job : running_) {
      if (job.held_for > 0) --job.held_for;
      job.held_turns = job.held_for > 0 ? job.held_turns + 1 : 0;
      running_views_.push_back({.known = job.known,
                                .computed = job.computed,
                                .computable = job.encoding_steps > 0 ? 0 : job.known,
                                .limit = job.limit,
                                .pages = job.pages,
                                .exclusive_pages = job.pages,
                                .held_turns = job.held_turns,
                                .encodes = job.encoding_steps > 0});
    }
    waiting_views_.clear();
    candidates_.clear();
    for (size_t i = 0; i < waiting_.size(); ++i) {
      Job& job = waiting_[i];
      if (job.held_for > 0 && --job.held_for > 0) continue;
      job.held_turns = 0;
      candidates_.push_back(job.number);
      waiting_views_.push_back({.known = job.known,
                                .computed = 0,
                                .computable = job.encoding_steps > 0 ? 0 : job.known,
                                .limit = job.limit,
                                .shared_pages = 0,
                                .encodes = job.encoding_steps > 0});
    }
    return {.running = running_views_, .waiting = waiting_views_, .free_pages = free_pages_};
  }

  void Turn() {
    const PlanInput input = View();
    const Plan plan = PlanStep(input, limits_);
    const bool someone_ready = std::any_of(running_.begin(), running_.end(),
                                           [](const Job& job) { return job.held_turns == 0; }) ||
                               !candidates_.empty();
    ASSERT_EQ(plan.empty(), !someone_ready);
    CheckOldest(plan);
    std::vector<int> numbers;
    for (const Job& job : running_) numbers.push_back(job.number);
    for (int i = 0; i < plan.admit; ++i) numbers.push_back(candidates_[i]);
    for (const int i : plan.preempt) Preempt(numbers[i]);
    for (int i = 0; i < plan.admit; ++i) Admit(candidates_[i]);
    ASSERT_LE(static_cast<int>(running_.size()), limits_.max_running);
    if (plan.encode >= 0) --Find(numbers[plan.encode]).encoding_steps;
    int tokens = 0;
    for (const PlannedSlice& slice : plan.slices) {
      ASSERT_GT(slice.tokens, 0);
      tokens += slice.tokens;
      Compute(Find(numbers[slice.sequence]), slice.tokens);
    }
    ASSERT_LE(tokens, limits_.max_batched_tokens);
    Finish();
  }

  // The oldest running sequence that is ready is never preempted and, unless it waits for an image,
  // goes on.
  void CheckOldest(const Plan& plan) {
    for (size_t i = 0; i < running_.size(); ++i) {
      if (running_[i].held_turns > 0) continue;
      const int number = static_cast<int>(i);
      ASSERT_EQ(std::count(plan.preempt.begin(), plan.preempt.end(), number), 0);
      const bool sliced =
          std::any_of(plan.slices.begin(), plan.slices.end(),
                      [&](const PlannedSlice& slice) { return slice.sequence == number; });
      ASSERT_TRUE(sliced || running_[i].encoding_steps > 0);
      return;
    }
  }

  Job& Find(int number) {
    return *std::find_if(running_.begin(), running_.end(),
                         [&](const Job& job) { return job.number == number; });
  }

  void Preempt(int number) {
    Job job = Find(number);
    std::erase_if(running_, [&](const Job& other) { return other.number == number; });
    free_pages_ += job.pages;
    job.pages = job.computed = 0;
    waiting_.insert(std::lower_bound(waiting_.begin(), waiting_.end(), job, Older), job);
    ++preemptions_;
  }

  void Admit(int number) {
    const auto job = std::find_if(waiting_.begin(), waiting_.end(),
                                  [&](const Job& other) { return other.number == number; });
    Grow(*job);
    running_.insert(std::lower_bound(running_.begin(), running_.end(), *job, Older), *job);
    waiting_.erase(job);
  }

  void Grow(Job& job) {
    const int missing = std::max(model::PagesFor(job.known) - job.pages, 0);
    ASSERT_LE(missing, free_pages_);
    free_pages_ -= missing;
    job.pages += missing;
  }

  void Compute(Job& job, int tokens) {
    ASSERT_EQ(job.held_turns, 0);
    ASSERT_EQ(job.encoding_steps, 0);
    Grow(job);
    job.computed += tokens;
    ASSERT_LE(job.computed, job.known);
    if (job.computed < job.known) return;
    ++job.known;
    if (Uniform(0, 20) == 0) job.held_for = Uniform(1, 300);
  }

  void Finish() {
    std::erase_if(running_, [&](const Job& job) {
      if (job.known < job.limit) return false;
      free_pages_ += job.pages;
      ++finished_;
      return true;
    });
  }

  std::mt19937 random_;
  const PlanLimits limits_;
  const int pages_;
  int free_pages_;
  int arrived_ = 0, finished_ = 0, preemptions_ = 0;
  std::vector<Job> running_, waiting_;
  std::vector<RunningView> running_views_;
  std::vector<WaitingView> waiting_views_;
  std::vector<int> candidates_;  // numbers of the jobs in waiting_views_
};

TEST(PlannerProperty, HoldsUnderRandomLoads) {
  int preemptions = 0;
  for (unsigned seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed + 1000);
    const int max_running = 1 + static_cast<int>(random() % 8);
    const PlanLimits limits = {
        .max_running = max_running,
        .max_batched_tokens = max_running + static_cast<int>(random() % 300)};
    Simulation simulation(seed, limits, 4 + static_cast<int>(random() % 30));
    simulation.Run(40);
    if (HasFatalFailure()) return;
    preemptions += simulation.preemptions();
  }
  EXPECT_GT(preemptions, 50) << "the loads must be heavy enough to mean something";
}

}  // namespace
}  // namespace switchboard::engine
