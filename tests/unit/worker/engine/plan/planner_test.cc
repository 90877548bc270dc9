#include "worker/engine/plan/planner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <tuple>
#include <vector>

#include "worker/model/model.h"

namespace switchboard::engine {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr PlanLimits kLimits = {.max_running = 4, .max_batched_tokens = 100};
// Far away, so that every sequence can still grow.
constexpr int kLimit = 100000;

// A sequence that is one token behind, with just the pages it needs for its known tokens.
RunningView Decoding(int known) {
  RunningView view;
  view.known = view.computable = known;
  view.computed = known - 1;
  view.limit = kLimit;
  view.pages = view.exclusive_pages = model::PagesFor(known);
  return view;
}

RunningView Prefilling(int known, int computed) {
  RunningView view = Decoding(known);
  view.computed = computed;
  return view;
}

// As Decoding, but its last known token begins a page that it does not hold yet.
RunningView NeedsAPage(int pages) {
  RunningView view = Decoding(pages * 64 + 1);
  view.pages = view.exclusive_pages = pages;
  return view;
}

RunningView Held(RunningView view, int turns = 1) {
  view.held_turns = turns;
  return view;
}

WaitingView Waiting(int known) {
  WaitingView view;
  view.known = view.computable = known;
  view.limit = kLimit;
  return view;
}

Plan PlanFor(const std::vector<RunningView>& running, const std::vector<WaitingView>& waiting,
             int free_pages, PlanLimits limits = kLimits) {
  return PlanStep({.running = running, .waiting = waiting, .free_pages = free_pages}, limits);
}

MATCHER_P2(SliceIs, sequence, tokens, "") {
  return arg.sequence == sequence && arg.tokens == tokens;
}

TEST(PlanStep, IsEmptyWithoutSequences) { EXPECT_TRUE(PlanFor({}, {}, 10).empty()); }

TEST(PlanStep, TakesDecodesBeforePrefillsAndGivesTheRestOfTheBudgetToTheOldestPrompt) {
  const Plan plan = PlanFor({Prefilling(70, 10), Decoding(5), Prefilling(500, 0)}, {}, 10);
  EXPECT_THAT(plan.slices, ElementsAre(SliceIs(1, 1), SliceIs(0, 60), SliceIs(2, 39)));
}

TEST(PlanStep, DoesNotComputeBeyondAnImageThatIsNotEncoded) {
  RunningView view = Prefilling(90, 0);
  view.computable = 20;
  view.encodes = true;
  Plan plan = PlanFor({view}, {}, 10);
  EXPECT_THAT(plan.slices, ElementsAre(SliceIs(0, 20)));
  EXPECT_EQ(plan.encode, 0);
  view.computed = 20;
  plan = PlanFor({view}, {}, 10);
  EXPECT_THAT(plan.slices, IsEmpty());
  EXPECT_EQ(plan.encode, 0);
}

TEST(PlanStep, EncodesForTheOldestSequenceFirst) {
  RunningView second = Prefilling(90, 0), third = second;
  second.encodes = third.encodes = true;
  EXPECT_EQ(PlanFor({Decoding(3), second, third}, {}, 10).encode, 1);
  WaitingView waiting = Waiting(10);
  waiting.encodes = true;
  EXPECT_EQ(PlanFor({Decoding(3)}, {waiting}, 10).encode, 1);
  EXPECT_EQ(PlanFor({Decoding(3)}, {waiting}, 0).encode, -1) << "it is not admitted";
}

TEST(PlanStep, AdmitsInOrderWhilePlacesArefree) {
  const Plan plan =
      PlanFor({Decoding(5), Decoding(5), Decoding(5)}, {Waiting(30), Waiting(5)}, 100);
  EXPECT_EQ(plan.admit, 1);
  EXPECT_THAT(plan.slices,
              ElementsAre(SliceIs(0, 1), SliceIs(1, 1), SliceIs(2, 1), SliceIs(3, 30)));
}

TEST(PlanStep, SplitsThePromptOfAnAdmittedSequenceByTheBudget) {
  const Plan plan = PlanFor({Decoding(5)}, {Waiting(250)}, 100);
  EXPECT_EQ(plan.admit, 1);
  EXPECT_THAT(plan.slices, ElementsAre(SliceIs(0, 1), SliceIs(1, 99)));
}

TEST(PlanStep, AdmitsNobodyWhenTheBudgetIsUsedUp) {
  EXPECT_EQ(PlanFor({Prefilling(500, 0)}, {Waiting(5)}, 100).admit, 0);
}

TEST(PlanStep, AdmissionLeavesAPageForEachSequenceThatCanGrow) {
  // 128 tokens are 2 pages; one more each for the two sequences.
  EXPECT_EQ(PlanFor({Decoding(5)}, {Waiting(128)}, 3).admit, 0);
  EXPECT_EQ(PlanFor({Decoding(5)}, {Waiting(128)}, 4).admit, 1);
  RunningView ends_in_its_page = Decoding(5);
  ends_in_its_page.limit = 64;
  EXPECT_EQ(PlanFor({ends_in_its_page}, {Waiting(128)}, 3).admit, 1);
}

TEST(PlanStep, AdmitsASequenceThatFillsTheWholeCacheWhenItIsAlone) {
  EXPECT_EQ(PlanFor({}, {Waiting(640)}, 10).admit, 1);
}

TEST(PlanStep, NeverPassesOneThatDoesNotFit) {
  EXPECT_EQ(PlanFor({Decoding(5)}, {Waiting(640), Waiting(5)}, 10).admit, 0);
}

TEST(PlanStep, CountsOnlyThePagesThatAnAdmittedSequenceDoesNotShare) {
  WaitingView sibling = Waiting(130);
  sibling.computed = 129;
  sibling.shared_pages = 2;
  const Plan plan = PlanFor({Decoding(131)}, {sibling}, 3);
  EXPECT_EQ(plan.admit, 1);
  EXPECT_THAT(plan.slices, ElementsAre(SliceIs(0, 1), SliceIs(1, 1)));
}

TEST(PlanStep, PreemptsTheYoungestWhenADecodeFindsNoPage) {
  const Plan plan = PlanFor({NeedsAPage(2), Decoding(5), Decoding(6)}, {Waiting(3)}, 0);
  EXPECT_THAT(plan.preempt, ElementsAre(2));
  EXPECT_THAT(plan.slices, ElementsAre(SliceIs(0, 1), SliceIs(1, 1)));
  EXPECT_EQ(plan.admit, 0) << "nobody is admitted in a step that preempts";
}

TEST(PlanStep, PreemptsTheOneInNeedWhenItIsTheYoungest) {
  const Plan plan = PlanFor({Decoding(5), NeedsAPage(2)}, {}, 0);
  EXPECT_THAT(plan.preempt, ElementsAre(1));
  EXPECT_THAT(plan.slices, ElementsAre(SliceIs(0, 1)));
}

TEST(PlanStep, PreemptsAsManyAsItTakes) {
  // The youngest shares all but nothing of its pages and frees none.
  RunningView sharing = Decoding(5);
  sharing.exclusive_pages = 0;
  const Plan plan = PlanFor({NeedsAPage(1), NeedsAPage(1), Decoding(5), sharing}, {}, 0);
  EXPECT_THAT(plan.preempt, ElementsAre(3, 2, 1));
  EXPECT_THAT(plan.slices, ElementsAre(SliceIs(0, 1)));
}

TEST(PlanStep, PreemptsHeldBackSequencesBeforeOthers) {
  const Plan plan = PlanFor({Held(Decoding(5)), NeedsAPage(2), Decoding(6)}, {}, 0);
  EXPECT_THAT(plan.preempt, ElementsAre(0));
  EXPECT_THAT(plan.slices, ElementsAre(SliceIs(1, 1), SliceIs(2, 1)));
}

TEST(PlanStep, ComputesNothingForAHeldBackSequence) {
  RunningView held = Held(Prefilling(80, 0));
  held.encodes = true;
  EXPECT_TRUE(PlanFor({held, Held(NeedsAPage(1))}, {}, 0).empty());
}

TEST(PlanStep, LetsAHeldBackSequenceGiveWayWhenNothingElseCanRun) {
  const std::vector<RunningView> all_held(4, Held(Decoding(5)));
  EXPECT_THAT(PlanFor(all_held, {Waiting(5)}, 100).preempt, ElementsAre(3)) << "no place";
  EXPECT_THAT(PlanFor({Held(Decoding(5))}, {Waiting(500)}, 3).preempt, ElementsAre(0)) << "no page";
  EXPECT_THAT(PlanFor(all_held, {}, 100).preempt, IsEmpty()) << "nobody waits";
}

TEST(PlanStep, LetsALongHeldBackSequenceGiveWayThoughOthersRun) {
  std::vector<RunningView> running(4, Decoding(5));
  running[1].held_turns = kPatience;
  running[3].held_turns = kPatience - 1;
  EXPECT_THAT(PlanFor(running, {Waiting(5)}, 100).preempt, ElementsAre(1));
  running[1].held_turns = kPatience - 1;
  EXPECT_THAT(PlanFor(running, {Waiting(5)}, 100).preempt, IsEmpty());
}

}  // namespace
}  // namespace switchboard::engine
