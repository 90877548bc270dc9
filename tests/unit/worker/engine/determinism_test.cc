// A request's tokens depend on nothing but the request: random loads under random options against
// the plain reference.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <vector>

#include "tests/unit/worker/engine/random_request.h"
#include "tests/unit/worker/engine/rig.h"

namespace switchboard::engine {
namespace {

struct Submitted {
  Request request;
  std::shared_ptr<RecordingSink> sink;
};

EngineOptions RandomOptions(std::mt19937* random) {
  EngineOptions options = SmallOptions();
  options.max_model_len = 320;
  options.max_running = Uniform(2, 8, random);
  options.max_batched_tokens = options.max_running + Uniform(0, 200, random);
  // From hardly enough for one sequence, so that preemption is common, to plenty.
  options.kv_pages = Uniform(5, 9, random);
  return options;
}

class Load {
 public:
  explicit Load(unsigned seed) : random_(seed), rig_(RandomOptions(&random_)) {}

  // Requests come at random times; some are cancelled, some readers pause.
  void Run(int requests) {
    while (static_cast<int>(submitted_.size()) < requests || !rig_.stepper().empty()) {
      if (static_cast<int>(submitted_.size()) < requests && Uniform(0, 1, &random_) == 0) Submit();
      if (Uniform(0, 40, &random_) == 0) CancelOne();
      if (Uniform(0, 10, &random_) == 0) PauseOne();
      if (Uniform(0, 10, &random_) == 0) ResumeAll();
      rig_.Turn();
    }
    Check();
  }

  int preemptions() const { return rig_.preemptions(); }

 private:
  void Submit() {
    Request request = RandomRequest(rig_.options(), &random_);
    submitted_.push_back({request, rig_.Add(request)});
    cancelled_.push_back(false);
  }

  void CancelOne() {
    if (submitted_.empty()) return;
    const size_t index = random_() % submitted_.size();
    if (!submitted_[index].sink->ended()) cancelled_[index] = true;
    rig_.stepper().Cancel(index + 1);
  }

  void PauseOne() {
    if (!submitted_.empty()) submitted_[random_() % submitted_.size()].sink->SetAllowance(0);
  }

  void ResumeAll() {
    for (const Submitted& submitted : submitted_) submitted.sink->SetAllowance(-1);
  }

  void Check() {
    EXPECT_EQ(rig_.stepper().stats().kv_pages_used, 0);
    EXPECT_EQ(rig_.stepper().waiting_requests(), 0);
    for (size_t i = 0; i < submitted_.size(); ++i) {
      const auto& [request, sink] = submitted_[i];
      EXPECT_EQ(sink.use_count(), 1);
      const std::vector<Answer> expected =
          ReferenceAnswers(request, rig_.options().max_model_len, rig_.options().eos_token_ids);
      if (!cancelled_[i]) {
        EXPECT_EQ(sink->answers(), expected) << "request " << i;
        continue;
      }
      // What came before the cancel is a beginning of the answer.
      for (int choice = 0; choice < request.choices; ++choice) {
        const std::vector<int32_t> ids = sink->answers()[choice].ids;
        ASSERT_LE(ids.size(), expected[choice].ids.size());
        EXPECT_TRUE(std::equal(ids.begin(), ids.end(), expected[choice].ids.begin()));
      }
    }
  }

  std::mt19937 random_;
  Rig rig_;
  std::vector<Submitted> submitted_;
  std::vector<bool> cancelled_;
};

TEST(Determinism, TokensDoNotDependOnLoadBudgetsPreemptionOrPauses) {
  int preemptions = 0;
  for (unsigned seed = 0; seed < 30; ++seed) {
    SCOPED_TRACE(seed);
    Load load(seed);
    load.Run(25);
    preemptions += load.preemptions();
    if (HasFailure()) return;
  }
  EXPECT_GT(preemptions, 50) << "the loads must be heavy enough to mean something";
}

TEST(Determinism, ARequestAloneAndInACrowdHasTheSameTokens) {  // C080 (e)
  std::mt19937 random(5);
  Request request = TextRequest(50, 40);
  request.sampling.temperature = 1.2f;
  request.sampling.seed = 42;
  Rig alone;
  const auto sink_alone = alone.Add(request);
  alone.RunOut();
  Rig crowd;
  for (int i = 0; i < 4; ++i) crowd.Add(RandomRequest(crowd.options(), &random));
  crowd.Turns(3);
  const auto sink_crowd = crowd.Add(request);
  for (int i = 0; i < 4; ++i) crowd.Add(RandomRequest(crowd.options(), &random));
  crowd.RunOut();
  EXPECT_EQ(sink_alone->answers(), sink_crowd->answers());
}

TEST(Determinism, AnotherSeedGivesOtherTokens) {  // C080
  Request request = TextRequest(50, 40);
  request.sampling.temperature = 1.2f;
  std::vector<std::vector<Answer>> answers;
  for (const uint64_t seed : {uint64_t{0}, uint64_t{1}, uint64_t{1} << 32, ~uint64_t{0}}) {
    Rig rig;
    request.sampling.seed = seed;
    const auto sink = rig.Add(request);
    rig.RunOut();
    for (const std::vector<Answer>& other : answers) EXPECT_NE(sink->answers(), other);
    answers.push_back(sink->answers());
  }
}

TEST(Determinism, GreedyTokensDoNotDependOnTheSeed) {
  Request request = TextRequest(50, 40);
  Rig rig;
  const auto first = rig.Add(request);
  request.sampling.seed = 99;
  const auto second = rig.Add(request);
  rig.RunOut();
  EXPECT_EQ(first->answers(), second->answers());
}

}  // namespace
}  // namespace switchboard::engine
