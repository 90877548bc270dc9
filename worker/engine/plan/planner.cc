#include "worker/engine/plan/planner.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/check.h"
#include "worker/model/model.h"

namespace switchboard::engine {
namespace {

using model::PagesFor;

// The state of one planning: what the pages and the budget are after the decisions so far.
class Planner {
 public:
  Planner(const PlanInput& input, const PlanLimits& limits)
      : input_(input),
        limits_(limits),
        preempted_(input.running.size(), false),
        free_pages_(input.free_pages),
        budget_(limits.max_batched_tokens) {}

  Plan Run() {
    for (int i = 0; i < running(); ++i) Grow(i);
    for (int i = 0; i < running(); ++i) {
      if (input_.running[i].known - input_.running[i].computed == 1) Continue(i);
    }
    for (int i = 0; i < running(); ++i) {
      if (input_.running[i].known - input_.running[i].computed > 1) Continue(i);
    }
    if (plan_.preempt.empty()) Admit();
    ChooseEncoding();
    return std::move(plan_);
  }

 private:
  int running() const { return static_cast<int>(input_.running.size()); }
  bool Active(int i) const { return !preempted_[i] && input_.running[i].held_turns == 0; }

  void Grow(int i) {
    if (!Active(i)) return;
    const int missing = PagesFor(input_.running[i].known) - input_.running[i].pages;
    while (missing > free_pages_ && !preempted_[i]) Preempt(Victim());
    if (!preempted_[i]) free_pages_ -= std::max(missing, 0);
  }

  // The youngest held back sequence, else the youngest.
  int Victim() const {
    int youngest = -1;
    for (int i = running() - 1; i >= 0; --i) {
      if (preempted_[i]) continue;
      if (input_.running[i].held_turns > 0) return i;
      youngest = std::max(youngest, i);
    }
    CHECK(youngest >= 0);
    return youngest;
  }

  void Preempt(int i) {
    preempted_[i] = true;
    free_pages_ += input_.running[i].exclusive_pages;
    plan_.preempt.push_back(i);
  }

  void Slice(int sequence, int tokens) {
    tokens = std::min(tokens, budget_);
    if (tokens <= 0) return;
    budget_ -= tokens;
    plan_.slices.push_back({sequence, tokens});
  }

  void Continue(int i) {
    const RunningView& view = input_.running[i];
    if (Active(i)) Slice(i, view.computable - view.computed);
  }

  void Admit() {
    // Pages kept for the next tokens of the sequences that run.
    int growth = 0;
    for (const RunningView& view : input_.running) growth += MayGrow(view.known, view.limit);
    for (const WaitingView& view : input_.waiting) {
      const int count = running() + plan_.admit;
      const int pages = PagesFor(view.known) - view.shared_pages;
      // Alone, a sequence always fits; keeping pages for its growth could lock it out for ever.
      const int reserve = count == 0 ? 0 : growth + MayGrow(view.known, view.limit);
      if (count == limits_.max_running || pages + reserve > free_pages_) {
        MakeRoom();
        return;
      }
      if (budget_ == 0) return;
      free_pages_ -= pages;
      growth += MayGrow(view.known, view.limit);
      Slice(count, view.computable - view.computed);
      ++plan_.admit;
    }
  }

  static int MayGrow(int known, int limit) { return PagesFor(limit) > PagesFor(known) ? 1 : 0; }

  // Called when a waiting sequence does not fit.
  void MakeRoom() {
    if (plan_.admit > 0) return;
    const auto held = [](const RunningView& view) { return view.held_turns > 0; };
    const bool all_held = std::all_of(input_.running.begin(), input_.running.end(), held);
    for (int i = running() - 1; i >= 0; --i) {
      if (all_held || input_.running[i].held_turns >= kPatience) return Preempt(i);
    }
  }

  void ChooseEncoding() {
    for (int i = 0; i < running() + plan_.admit; ++i) {
      const bool encodes = i < running() ? Active(i) && input_.running[i].encodes
                                         : input_.waiting[i - running()].encodes;
      if (encodes) {
        plan_.encode = i;
        return;
      }
    }
  }

  const PlanInput& input_;
  const PlanLimits& limits_;
  std::vector<bool> preempted_;
  int free_pages_;
  int budget_;
  Plan plan_;
};

}  // namespace

Plan PlanStep(const PlanInput& input, const PlanLimits& limits) {
  return Planner(input, limits).Run();
}

}  // namespace switchboard::engine
