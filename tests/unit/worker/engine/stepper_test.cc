#include "worker/engine/stepper.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <numeric>
#include <vector>

#include "tests/support/status_matchers.h"
#include "tests/unit/worker/engine/rig.h"

namespace switchboard::engine {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

std::vector<Answer> Expected(const Rig& rig, const Request& request) {
  return ReferenceAnswers(request, rig.options().max_model_len, rig.options().eos_token_ids);
}

TEST(Stepper, HasNothingToDoWithoutRequests) {
  Rig rig;
  EXPECT_FALSE(rig.Turn());
  EXPECT_TRUE(rig.stepper().empty());
}

TEST(Stepper, AnswersLikeThePlainReference) {
  Rig rig;
  const Request request = TextRequest(100, 20);
  const auto sink = rig.Add(request);
  rig.RunOut();
  EXPECT_EQ(sink->answers(), Expected(rig, request));
  EXPECT_THAT(sink->answers()[0].ids, SizeIs(20));
  EXPECT_EQ(sink.use_count(), 1) << "the sink is dropped";
  EXPECT_EQ(rig.stepper().stats().kv_pages_used, 0);
}

TEST(Stepper, ComputesAPromptInChunksOfTheBudgetAndThenTokenByToken) {
  Rig rig;
  rig.Add(TextRequest(150, 3));
  rig.RunOut();
  EXPECT_THAT(rig.model().passes, ElementsAre(64, 64, 22, 1, 1));
}

TEST(Stepper, MixesDecodesAndPromptsInOnePass) {
  Rig rig;
  rig.Add(TextRequest(10, 4));
  rig.Turn();
  rig.Add(TextRequest(100, 1));
  rig.RunOut();
  EXPECT_THAT(rig.model().passes, ElementsAre(10, 1 + 63, 1 + 37, 1));
}

TEST(Stepper, StartsRequestsInOrderAsPlacesBecomeFree) {
  Rig rig;
  std::vector<std::shared_ptr<RecordingSink>> sinks;
  for (int i = 0; i < 6; ++i) sinks.push_back(rig.Add(TextRequest(5, 2 + i)));
  rig.Turn();
  EXPECT_EQ(rig.stepper().stats().running, 4);
  EXPECT_EQ(rig.stepper().waiting_requests(), 2);
  EXPECT_TRUE(sinks[3]->started());
  EXPECT_FALSE(sinks[4]->started());
  rig.Turns(2);  // the first has its two tokens now
  EXPECT_TRUE(sinks[4]->started());
  EXPECT_FALSE(sinks[5]->started());
  rig.RunOut();
  for (const auto& sink : sinks) EXPECT_TRUE(sink->ended());
}

TEST(Stepper, StopsAtAnEndTokenWhichIsCountedAndNotSent) {
  Rig rig;
  Request request = TextRequest(30, 500);
  request.sampling.ignore_eos = false;
  const auto sink = rig.Add(request);
  rig.RunOut();
  const Answer answer = sink->answers()[0];
  EXPECT_EQ(answer, Expected(rig, request)[0]);
  ASSERT_EQ(answer.reason, FinishedEvent::kStop);
  EXPECT_TRUE(answer.stop_token_id == 90 || answer.stop_token_id == 91);
  EXPECT_FALSE(answer.stop_token_requested);
  EXPECT_EQ(answer.completion_tokens, static_cast<int>(answer.ids.size()) + 1);
}

TEST(Stepper, StopsAtARequestedTokenAndSaysSo) {
  Rig rig;
  Request request = TextRequest(30, 100);
  const int32_t fifth = Expected(rig, request)[0].ids[4];
  request.sampling.stop_token_ids = {fifth};
  const auto sink = rig.Add(request);
  rig.RunOut();
  EXPECT_EQ(sink->answers()[0].stop_token_id, fifth);
  EXPECT_TRUE(sink->answers()[0].stop_token_requested);
}

TEST(Stepper, DoesNotStopBeforeMinTokens) {
  Rig rig;
  Request request = TextRequest(30, 100);
  request.sampling.stop_token_ids = {Expected(rig, request)[0].ids[0]};
  request.sampling.min_tokens = 7;
  const auto sink = rig.Add(request);
  rig.RunOut();
  EXPECT_GE(sink->answers()[0].ids.size(), 7u);
  EXPECT_EQ(sink->answers(), Expected(rig, request));
}

TEST(Stepper, EndsAtTheEndOfTheContext) {  // C104
  EngineOptions options = SmallOptions();
  options.max_model_len = 100;
  Rig rig(options);
  const auto one = rig.Add(TextRequest(99, 300));
  const auto ten = rig.Add(TextRequest(90, 300));
  rig.RunOut();
  EXPECT_EQ(one->answers()[0].completion_tokens, 1);
  EXPECT_EQ(one->answers()[0].reason, FinishedEvent::kLength);
  EXPECT_EQ(ten->answers()[0].completion_tokens, 10);
}

TEST(Stepper, SendsLogprobsWhenAskedFor) {
  Rig rig;
  Request request = TextRequest(10, 3);
  request.sampling.logprobs = true;
  request.sampling.top_logprobs = 2;
  const auto asked = rig.Add(request);
  const auto not_asked = rig.Add(TextRequest(10, 3));
  rig.RunOut();
  ASSERT_THAT(asked->logprobs(), SizeIs(3));
  for (int i = 0; i < 3; ++i) {
    const TokenLogprobs logprobs = asked->logprobs()[i];
    ASSERT_THAT(logprobs.top, SizeIs(2));
    EXPECT_EQ(logprobs.top[0].first, asked->answers()[0].ids[i]) << "greedy takes the best";
    EXPECT_EQ(logprobs.top[0].second, logprobs.logprob);
    EXPECT_GE(logprobs.top[0].second, logprobs.top[1].second);
    EXPECT_THAT(not_asked->logprobs()[i].top, SizeIs(0));
  }
}

TEST(Stepper, ComputesThePromptOfManyChoicesOnce) {
  Rig rig;
  Request request = TextRequest(100, 5);
  request.choices = 4;
  request.sampling.temperature = 1.0f;
  request.sampling.seed = 42;
  const auto sink = rig.Add(request);
  rig.Turns(3);
  EXPECT_EQ(rig.stepper().stats().running, 4);
  // Page 0 is shared, the page with tokens 64 to 99 is everybody's own.
  EXPECT_EQ(rig.stepper().stats().kv_pages_used, 1 + 4);
  rig.RunOut();
  EXPECT_EQ(sink->answers(), Expected(rig, request));
  EXPECT_EQ(rig.stepper().stats().kv_pages_used, 0);
  // 100 of the prompt; its last token again for three choices; four more tokens of each choice.
  int tokens = 0;
  for (const int pass : rig.model().passes) tokens += pass;
  EXPECT_EQ(tokens, 100 + 3 + 4 * 4);
}

TEST(Stepper, SharesPromptsThatEndAtEitherSideOfAPageBorder) {
  for (const int prompt : {1, 2, 63, 64, 65, 66, 128, 129}) {
    Rig rig;
    Request request = TextRequest(prompt, 70);
    request.choices = 3;
    request.sampling.temperature = 0.8f;
    const auto sink = rig.Add(request);
    rig.RunOut();
    EXPECT_EQ(sink->answers(), Expected(rig, request)) << "prompt of " << prompt;
  }
}

TEST(Stepper, AnswersMoreChoicesThanThereArePlaces) {
  EngineOptions options = SmallOptions();
  options.max_running = 2;
  Rig rig(options);
  Request request = TextRequest(70, 9);
  request.choices = 7;
  request.sampling.temperature = 1.0f;
  const auto sink = rig.Add(request);
  rig.RunOut();
  EXPECT_EQ(sink->answers(), Expected(rig, request));
}

TEST(Stepper, GivesTheChoicesOfASeedDifferentAnswers) {  // C080
  Rig rig;
  Request request = TextRequest(20, 10);
  request.choices = 4;
  request.sampling.temperature = 1.2f;
  request.sampling.seed = 42;
  const auto sink = rig.Add(request);
  rig.RunOut();
  const std::vector<Answer> answers = sink->answers();
  for (size_t a = 0; a < answers.size(); ++a) {
    for (size_t b = 0; b < a; ++b) EXPECT_NE(answers[a].ids, answers[b].ids);
  }
}

TEST(Stepper, PreemptsUnderPressureAndLosesNothing) {  // C106
  EngineOptions options = SmallOptions();
  options.kv_pages = 10;
  Rig rig(options);
  // Together they would grow to 8 + 8 pages; there are 10.
  const Request a = TextRequest(60, 450, 1), b = TextRequest(61, 450, 2), c = TextRequest(9, 30, 3);
  const auto sink_a = rig.Add(a), sink_b = rig.Add(b), sink_c = rig.Add(c);
  rig.RunOut();
  EXPECT_GT(rig.preemptions(), 0);
  EXPECT_EQ(sink_a->answers(), Expected(rig, a));
  EXPECT_EQ(sink_b->answers(), Expected(rig, b));
  EXPECT_EQ(sink_c->answers(), Expected(rig, c));
  EXPECT_EQ(rig.stepper().stats().kv_pages_used, 0);
}

TEST(Stepper, FreesEverythingOfACancelledRequestAtOnce) {
  Rig rig;
  const auto running = rig.Add(TextRequest(100, 50));
  rig.Turns(5);
  const auto waiting = rig.Add(TextRequest(10, 50));
  EXPECT_EQ(rig.stepper().waiting_requests(), 1);
  rig.stepper().Cancel(1);
  rig.stepper().Cancel(2);
  EXPECT_EQ(rig.stepper().stats().kv_pages_used, 0);
  EXPECT_EQ(rig.stepper().waiting_requests(), 0);
  EXPECT_TRUE(rig.stepper().empty());
  EXPECT_EQ(running.use_count(), 1);
  EXPECT_EQ(waiting.use_count(), 1);
  EXPECT_EQ(waiting->events(), 0);
  rig.stepper().Cancel(1);
  rig.stepper().Cancel(77);
  EXPECT_FALSE(rig.Turn());
}

TEST(Stepper, SendsNothingForARequestCancelledWhileItWasComputed) {
  Rig rig;
  const auto cancelled = rig.Add(TextRequest(10, 50));
  const auto other = rig.Add(TextRequest(10, 2));
  rig.Turn();
  ASSERT_TRUE(rig.stepper().Plan());
  rig.stepper().Compute();
  rig.stepper().Cancel(1);
  rig.stepper().Emit();
  EXPECT_EQ(cancelled->tokens(), 1);
  EXPECT_EQ(other->tokens(), 2);
}

TEST(Stepper, CancelsOneOfManyChoicesSharersTogether) {
  Rig rig;
  Request request = TextRequest(200, 50);
  request.choices = 4;
  rig.Add(request);
  rig.Turns(6);
  ASSERT_EQ(rig.stepper().stats().running, 4);
  rig.stepper().Cancel(1);
  EXPECT_EQ(rig.stepper().stats().kv_pages_used, 0);
}

TEST(Stepper, HoldsBackARequestWhoseReaderIsSlowAndNotTheOthers) {
  Rig rig;
  const Request request = TextRequest(10, 9);
  const auto slow = rig.Add(request);
  const auto fast = rig.Add(TextRequest(10, 20));
  slow->SetAllowance(3);
  rig.RunOut();
  EXPECT_EQ(slow->tokens(), 3);
  EXPECT_TRUE(fast->ended());
  EXPECT_EQ(rig.stepper().stats().running, 1);
  EXPECT_FALSE(rig.Turn()) << "nothing can be done";
  slow->SetAllowance(-1);
  rig.RunOut();
  EXPECT_EQ(slow->answers(), Expected(rig, request));
}

TEST(Stepper, AsksAReaderOncePerTurnHoweverManyChoicesItHas) {
  Rig rig;
  Request request = TextRequest(10, 9);
  request.choices = 3;
  const auto sink = rig.Add(request);
  for (int turn = 1; turn <= 5; ++turn) {
    rig.Turn();
    EXPECT_EQ(sink->asked(), turn);
  }
}

TEST(Stepper, GivesThePlacesOfSlowReadersToOthers) {
  Rig rig;
  const Request request = TextRequest(10, 9);
  std::vector<std::shared_ptr<RecordingSink>> slow;
  for (int i = 0; i < 4; ++i) {
    slow.push_back(rig.Add(request));
    slow.back()->SetAllowance(2);
  }
  rig.RunOut();
  const auto fast = rig.Add(TextRequest(600, 20));
  rig.RunOut();
  EXPECT_TRUE(fast->ended());
  for (const auto& sink : slow) {
    EXPECT_EQ(sink->tokens(), 2);
    sink->SetAllowance(-1);
  }
  rig.RunOut();
  for (const auto& sink : slow) EXPECT_EQ(sink->answers(), Expected(rig, request));
}

TEST(Stepper, FailsOnlyTheRequestWhoseLogitsAreNotFinite) {  // C152
  Rig rig;
  Request poisoned = TextRequest(10, 9);
  poisoned.prompt_ids[4] = kPoisonToken;
  poisoned.choices = 2;
  const Request healthy = TextRequest(10, 9);
  const auto bad = rig.Add(poisoned);
  const auto good = rig.Add(healthy);
  rig.RunOut();
  ASSERT_TRUE(bad->failure().has_value());
  EXPECT_THAT(*bad->failure(), StatusIs(absl::StatusCode::kInternal, HasSubstr("numerical error")));
  EXPECT_EQ(bad->tokens(), 0);
  EXPECT_EQ(bad.use_count(), 1);
  EXPECT_EQ(good->answers(), Expected(rig, healthy));
  EXPECT_EQ(rig.stepper().stats().kv_pages_used, 0);
}

TEST(Stepper, FailsWaitingOrAllRequestsWithTheGivenStatus) {
  Rig rig;
  std::vector<std::shared_ptr<RecordingSink>> sinks;
  for (int i = 0; i < 6; ++i) sinks.push_back(rig.Add(TextRequest(5, 50)));
  rig.Turn();
  rig.stepper().FailWaiting(absl::UnavailableError("later"));
  for (int i = 0; i < 6; ++i) EXPECT_EQ(sinks[i]->ended(), i >= 4) << i;
  EXPECT_EQ(sinks[5]->events(), 1) << "Failed without Started";
  rig.stepper().FailAll(absl::UnavailableError("now"));
  EXPECT_THAT(*sinks[0]->failure(), StatusIs(absl::StatusCode::kUnavailable, "now"));
  EXPECT_THAT(*sinks[4]->failure(), StatusIs(absl::StatusCode::kUnavailable, "later"));
  EXPECT_TRUE(rig.stepper().empty());
  EXPECT_EQ(rig.stepper().stats().kv_pages_used, 0);
}

TEST(Stepper, CountsStepsAndTokens) {
  Rig rig;
  Request request = TextRequest(100, 500);
  request.sampling.ignore_eos = false;
  const auto sink = rig.Add(request);
  rig.RunOut();
  const EngineStats stats = rig.stepper().stats();
  EXPECT_EQ(stats.steps, rig.model().passes.size());
  EXPECT_EQ(stats.generated_tokens, static_cast<uint64_t>(sink->answers()[0].completion_tokens));
  EXPECT_EQ(stats.kv_pages, 40);
}

class Watcher final : public EngineObserver {
 public:
  void OnStep(const StepReport& report) override { steps.push_back(report); }
  void OnStarted(absl::Duration queued) override { started.push_back(queued); }
  void OnFirstToken(absl::Duration since_submit) override { first.push_back(since_submit); }
  void OnNextToken(absl::Duration gap) override { next.push_back(gap); }
  void OnPreempted() override { ++preempted; }
  void OnEnded(const RequestReport& report) override { ended.push_back(report); }

  std::vector<StepReport> steps;
  std::vector<absl::Duration> started, first, next;
  std::vector<RequestReport> ended;
  int preempted = 0;
};

// Of each step.
std::vector<int> PromptTokens(const Watcher& watcher) {
  std::vector<int> tokens;
  for (const StepReport& step : watcher.steps) tokens.push_back(step.prompt_tokens);
  return tokens;
}

TEST(Stepper, TellsItsObserverTimesAndTokens) {
  Watcher watcher;
  Rig rig(SmallOptions(), &watcher);
  rig.model().before_forward = [&] { rig.clock().Advance(absl::Seconds(1)); };
  rig.Add(TextRequest(100, 3));  // two passes for the prompt
  rig.clock().Advance(absl::Seconds(5));
  rig.RunOut();
  EXPECT_THAT(watcher.started, ElementsAre(absl::Seconds(5)));
  EXPECT_THAT(watcher.first, ElementsAre(absl::Seconds(7)));
  EXPECT_THAT(watcher.next, ElementsAre(absl::Seconds(1), absl::Seconds(1)));
  EXPECT_THAT(PromptTokens(watcher), ElementsAre(64, 36, 0, 0));
  EXPECT_EQ(watcher.steps[0].duration, absl::Seconds(1));
  ASSERT_THAT(watcher.ended, SizeIs(1));
  EXPECT_EQ(watcher.ended[0].end, RequestReport::kLength);
  EXPECT_EQ(watcher.ended[0].duration, absl::Seconds(9));
}

TEST(Stepper, CountsAPromptsLastTokenAsPromptWhereverAChunkEnds) {
  Watcher watcher;
  Rig rig(SmallOptions(), &watcher);
  rig.Add(TextRequest(65, 3));  // 64, then the last one alone, then two of the answer
  rig.RunOut();
  rig.Add(TextRequest(1, 2));
  rig.RunOut();
  EXPECT_THAT(PromptTokens(watcher), ElementsAre(64, 1, 0, 0, 1, 0));
}

TEST(Stepper, CountsTheLastPromptTokenOfEachChoiceThatTakesThePromptOver) {
  Watcher watcher;
  Rig rig(SmallOptions(), &watcher);
  Request request = TextRequest(50, 2);
  request.choices = 3;
  rig.Add(request);
  rig.RunOut();
  const std::vector<int> tokens = PromptTokens(watcher);
  EXPECT_EQ(std::accumulate(tokens.begin(), tokens.end(), 0), 50 + 1 + 1);
}

TEST(Stepper, TellsItsObserverHowRequestsEnd) {
  Watcher watcher;
  Rig rig(SmallOptions(), &watcher);
  Request poisoned = TextRequest(10, 9);
  poisoned.prompt_ids[4] = kPoisonToken;
  rig.Add(poisoned);
  rig.Add(TextRequest(10, 9));
  rig.Turn();
  rig.stepper().Cancel(2);
  ASSERT_THAT(watcher.ended, SizeIs(2));
  EXPECT_EQ(watcher.ended[0].end, RequestReport::kFailed);
  EXPECT_EQ(watcher.ended[1].end, RequestReport::kCancelled);
}

}  // namespace
}  // namespace switchboard::engine
