#include "worker/service/convert.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace switchboard::worker {
namespace {

using testing::ElementsAre;

Identity SomeWorker() {
  Identity identity;
  identity.name = "w0";
  identity.incarnation = "inc";
  identity.fingerprint = "f1";
  identity.model_names = {"a", "b"};
  identity.root = "tiny";
  identity.created = 1234;
  return identity;
}

engine::TokenEvent Token(int choice, int position, int id) {
  engine::TokenEvent event;
  event.choice = choice;
  event.position = position;
  event.id = id;
  event.logprobs = {-0.5f, {{id, -0.5f}, {9, -1.5f}}};
  return event;
}

TEST(AppendEvent, JoinsTokensThatFollowEachOther) {
  std::vector<v1::GenerateEvent> pending;
  AppendEvent(engine::StartedEvent{5}, SomeWorker(), false, &pending);
  AppendEvent(Token(0, 0, 11), SomeWorker(), false, &pending);
  AppendEvent(Token(0, 1, 12), SomeWorker(), false, &pending);
  ASSERT_EQ(pending.size(), 2u);
  EXPECT_EQ(pending[0].accepted().worker(), "w0");
  EXPECT_EQ(pending[0].accepted().fingerprint(), "f1");
  EXPECT_EQ(pending[0].accepted().cached_tokens(), 5);
  EXPECT_THAT(pending[1].tokens().ids(), ElementsAre(11, 12));
  EXPECT_EQ(pending[1].tokens().logprobs_size(), 0) << "nobody asked for them";
}

TEST(AppendEvent, KeepsChoicesApart) {
  std::vector<v1::GenerateEvent> pending;
  AppendEvent(Token(0, 0, 11), SomeWorker(), false, &pending);
  AppendEvent(Token(1, 0, 12), SomeWorker(), false, &pending);
  AppendEvent(Token(0, 1, 13), SomeWorker(), false, &pending);
  ASSERT_EQ(pending.size(), 3u);
  EXPECT_EQ(pending[2].tokens().choice(), 0);
  EXPECT_EQ(pending[2].tokens().position(), 1);
}

TEST(AppendEvent, CarriesLogprobsOfEveryToken) {
  std::vector<v1::GenerateEvent> pending;
  AppendEvent(Token(0, 0, 11), SomeWorker(), true, &pending);
  AppendEvent(Token(0, 1, 12), SomeWorker(), true, &pending);
  ASSERT_EQ(pending.size(), 1u);
  ASSERT_EQ(pending[0].tokens().logprobs_size(), 2);
  EXPECT_EQ(pending[0].tokens().logprobs(1).logprob(), -0.5f);
  EXPECT_THAT(pending[0].tokens().logprobs(1).top_ids(), ElementsAre(12, 9));
  EXPECT_THAT(pending[0].tokens().logprobs(1).top_logprobs(), ElementsAre(-0.5f, -1.5f));
}

TEST(AppendEvent, TellsStopFromLength) {
  std::vector<v1::GenerateEvent> pending;
  engine::FinishedEvent stop;
  stop.stop_token_id = 7;
  stop.stop_token_requested = true;
  stop.completion_tokens = 3;
  engine::FinishedEvent length;
  length.choice = 1;
  length.reason = engine::FinishedEvent::kLength;
  AppendEvent(stop, SomeWorker(), false, &pending);
  AppendEvent(length, SomeWorker(), false, &pending);
  EXPECT_EQ(pending[0].finished().reason(), v1::Finished::REASON_STOP);
  EXPECT_EQ(pending[0].finished().stop_token_id(), 7);
  EXPECT_TRUE(pending[0].finished().stop_token_requested());
  EXPECT_EQ(pending[0].finished().completion_tokens(), 3);
  EXPECT_EQ(pending[1].finished().reason(), v1::Finished::REASON_LENGTH);
  EXPECT_EQ(pending[1].finished().choice(), 1);
}

TEST(ToEngineRequest, CopiesEveryField) {
  v1::GenerateRequest request;
  request.add_prompt_ids(4);
  request.add_prompt_ids(5);
  request.set_choices(3);
  v1::Sampling* sampling = request.mutable_sampling();
  sampling->set_temperature(0.5f);
  sampling->set_top_p(0.9f);
  sampling->set_top_k(40);
  sampling->set_min_p(0.1f);
  sampling->set_repetition_penalty(1.1f);
  sampling->set_frequency_penalty(0.2f);
  sampling->set_presence_penalty(-0.3f);
  v1::LogitBias* bias = sampling->add_logit_bias();
  bias->set_token_id(8);
  bias->set_bias(-100);
  sampling->set_seed(UINT64_MAX);
  sampling->set_max_tokens(10);
  sampling->set_min_tokens(2);
  sampling->add_stop_token_ids(6);
  sampling->set_ignore_eos(true);
  sampling->set_logprobs(true);
  sampling->set_top_logprobs(20);
  const engine::Request converted = ToEngineRequest(request);
  EXPECT_THAT(converted.prompt_ids, ElementsAre(4, 5));
  EXPECT_EQ(converted.choices, 3);
  const engine::SamplingParams& to = converted.sampling;
  EXPECT_EQ(to.temperature, 0.5f);
  EXPECT_EQ(to.top_p, 0.9f);
  EXPECT_EQ(to.top_k, 40);
  EXPECT_EQ(to.min_p, 0.1f);
  EXPECT_EQ(to.repetition_penalty, 1.1f);
  EXPECT_EQ(to.frequency_penalty, 0.2f);
  EXPECT_EQ(to.presence_penalty, -0.3f);
  EXPECT_THAT(to.logit_bias, ElementsAre(std::pair<int32_t, float>(8, -100)));
  EXPECT_EQ(to.seed, UINT64_MAX);
  EXPECT_EQ(to.max_tokens, 10);
  EXPECT_EQ(to.min_tokens, 2);
  EXPECT_THAT(to.stop_token_ids, ElementsAre(6));
  EXPECT_TRUE(to.ignore_eos);
  EXPECT_TRUE(to.logprobs);
  EXPECT_EQ(to.top_logprobs, 20);
}

TEST(ToReport, SaysThatNothingRunsWhileAllWaitForTheirReaders) {
  engine::EngineStats stats;
  stats.running = 2;
  EXPECT_EQ(ToReport(SomeWorker(), stats, engine::EngineOptions(), false).running(), 0);
}

TEST(ToCard, HasAVersionThatChangesWithItsSettings) {
  const ModelFiles files;
  CardOptions options;
  options.max_model_len = 100;
  const std::string version = ToCard(SomeWorker(), files, options).card_version();
  EXPECT_EQ(version.size(), 16u);
  EXPECT_EQ(ToCard(SomeWorker(), files, options).card_version(), version);
  options.max_model_len = 200;
  EXPECT_NE(ToCard(SomeWorker(), files, options).card_version(), version);
}

TEST(AddModelNames, MakesAnEntryForEachName) {
  CardOptions options;
  options.max_model_len = 100;
  const v1::ModelCard card = ToCard(SomeWorker(), ModelFiles(), options);
  v1::ListModelsResponse response;
  AddModelNames(SomeWorker(), card, response.mutable_models());
  ASSERT_EQ(response.models_size(), 2);
  EXPECT_EQ(response.models(0).name(), "a");
  EXPECT_EQ(response.models(1).name(), "b");
  EXPECT_EQ(response.models(1).root(), "tiny");
  EXPECT_EQ(response.models(1).created(), 1234);
  EXPECT_EQ(response.models(1).max_model_len(), 100);
  EXPECT_EQ(response.models(1).fingerprint(), "f1");
  EXPECT_EQ(response.models(1).card_version(), card.card_version());
}

TEST(ToReport, SaysTheLoadAndItsLimits) {
  engine::EngineStats stats;
  stats.running = 2;
  stats.runnable = true;
  stats.waiting = 3;
  stats.steps = 99;
  engine::EngineOptions limits;
  limits.max_running = 16;
  limits.max_waiting = 64;
  const v1::WorkerReport report = ToReport(SomeWorker(), stats, limits, true);
  EXPECT_EQ(report.incarnation(), "inc");
  EXPECT_EQ(report.running(), 2);
  EXPECT_EQ(report.waiting(), 3);
  EXPECT_EQ(report.steps(), 99u);
  EXPECT_EQ(report.max_running(), 16);
  EXPECT_EQ(report.max_waiting(), 64);
  EXPECT_TRUE(report.draining());
}

}  // namespace
}  // namespace switchboard::worker
