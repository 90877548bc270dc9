// Streams, placement, models and cards when all goes well.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "rpc/channel.h"
#include "tests/integration/router/harness.h"
#include "tests/support/status_matchers.h"

namespace switchboard::router {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(RelayTest, AStreamComesThroughIntact) {
  Cluster cluster(Workers(1));
  Call call(cluster.stub(), RequestFor("hello", 50));
  const Seen& seen = call.Finish();
  EXPECT_THAT(seen.status, IsOk());
  EXPECT_EQ(seen.fault, "");
  EXPECT_EQ(seen.accepted, 1);
  EXPECT_EQ(seen.worker, "a");
  EXPECT_EQ(seen.tokens[0].size(), 50u);
  EXPECT_THAT(seen.finished, ElementsAre(true));
  EXPECT_FALSE(seen.retry_after.has_value());
}

TEST(RelayTest, SixteenClientsOfFourChoicesEachGetTheirOwnTokens) {
  Cluster cluster(Workers(2));
  std::vector<Seen> seen(16);
  std::vector<std::thread> clients;
  for (Seen& one : seen) {
    clients.emplace_back([&] {
      Call call(cluster.stub(), RequestFor("hello", 100, 0, 4));
      one = call.Finish();
    });
  }
  for (std::thread& client : clients) client.join();
  for (const Seen& one : seen) {
    EXPECT_THAT(one.status, IsOk());
    EXPECT_EQ(one.fault, "");
    for (int choice = 0; choice < 4; ++choice) {
      EXPECT_EQ(one.tokens[static_cast<size_t>(choice)].size(), 100u);
      EXPECT_TRUE(one.finished[static_cast<size_t>(choice)]);
    }
  }
}

TEST(RelayTest, LoadIsSharedBetweenTheWorkers) {
  Cluster cluster(Workers(2));
  std::vector<std::unique_ptr<Call>> calls;
  for (int i = 0; i < 10; ++i) {
    calls.push_back(std::make_unique<Call>(cluster.stub(), RequestFor("[[hang-after 1]]", 5)));
    EXPECT_TRUE(calls.back()->ReadTokens(1));
  }
  EXPECT_EQ(cluster.worker(0).counts().running, 5);
  EXPECT_EQ(cluster.worker(1).counts().running, 5);
}

TEST(RelayTest, ASlowReaderHoldsTheWorkerBack) {
  Cluster cluster(Workers(1));
  constexpr int kTokens = 1'000'000;
  Call call(cluster.stub(), RequestFor("hello", kTokens));
  ASSERT_TRUE(call.ReadTokens(1));
  // Nothing is read now: the worker stands still when all buffers on the way are full.
  uint64_t steps = 0;
  absl::Duration since = SystemClock().Monotonic();
  ASSERT_TRUE(Eventually([&] {
    const uint64_t now = cluster.worker(0).counts().steps;
    if (now != std::exchange(steps, now)) since = SystemClock().Monotonic();
    return SystemClock().Monotonic() - since > absl::Milliseconds(500);
  }));
  EXPECT_LT(steps, 100'000u);
  ASSERT_TRUE(call.ReadTokens(steps + 1000));
  EXPECT_EQ(call.seen().fault, "");
}

TEST(RelayTest, ARequestsOwnErrorPassesUnchanged) {
  Cluster cluster(Workers(1));
  Call call(cluster.stub(), RequestFor("hello", 0));
  const Seen& seen = call.Finish();
  EXPECT_EQ(seen.status, absl::InvalidArgumentError("max_tokens: below 1"));
  EXPECT_FALSE(seen.retry_after.has_value());
}

TEST(RelayTest, TheRouterChecksWhatItReliesOn) {
  Cluster cluster(Workers(1));
  v1::GenerateRequest request = RequestFor("hello", 1);
  request.set_choices(129);
  EXPECT_THAT(Call(cluster.stub(), request).Finish().status,
              StatusIs(absl::StatusCode::kInvalidArgument, "choices: 129 is not in 1 to 128"));
  request = RequestFor("hello", 1);
  request.set_request_id("two\nlines");
  EXPECT_THAT(Call(cluster.stub(), request).Finish().status,
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("request_id")));
  request = RequestFor("hello", 1);
  request.set_model("gpt-9");
  EXPECT_THAT(Call(cluster.stub(), request).Finish().status,
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("gpt-9")));
  request = RequestFor("hello", 1);
  request.set_fingerprint("other");
  EXPECT_THAT(Call(cluster.stub(), request).Finish().status,
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("other")));
}

TEST(RelayTest, ModelsAreThoseOfAllWorkers) {
  doubles::DoubleOptions other;
  other.models = {"second", "double"};
  other.fingerprint = "double-2";
  Cluster cluster({{}, other});
  grpc::ClientContext context;
  v1::ListModelsResponse models;
  ASSERT_TRUE(cluster.stub()->ListModels(&context, {}, &models).ok());
  ASSERT_EQ(models.models_size(), 2);
  EXPECT_EQ(models.models(0).name(), "double");
  EXPECT_EQ(models.models(0).fingerprint(), "double-1");
  EXPECT_EQ(models.models(1).name(), "second");
  EXPECT_EQ(models.models(1).fingerprint(), "double-2");
}

TEST(RelayTest, ACardComesFromItsWorkerAndStaysWhenThatIsReplacedByAnother) {
  Cluster cluster(Workers(2));
  const auto card_of = [&](const std::string& name, v1::ModelCard* card) {
    grpc::ClientContext context;
    v1::GetModelCardRequest request;
    request.set_name(name);
    return cluster.stub()->GetModelCard(&context, request, card);
  };
  v1::ModelCard card;
  ASSERT_TRUE(card_of("double", &card).ok());
  EXPECT_EQ(card.fingerprint(), "double-1");
  EXPECT_GT(card.tokenizer_json().size(), 1'000'000u);
  cluster.KillWorker(0);
  v1::ModelCard again;
  ASSERT_TRUE(card_of("double", &again).ok());
  EXPECT_EQ(again.tokenizer_json(), card.tokenizer_json());
  EXPECT_EQ(card_of("gpt-9", &card).error_code(), grpc::StatusCode::NOT_FOUND);
}

TEST(RelayTest, AWorkerRestartedWithOtherLimitsHasAnotherCardThoughItsFingerprintIsTheSame) {
  Cluster cluster(Workers(1));
  const auto limit_in_card = [&] {
    grpc::ClientContext context;
    v1::GetModelCardRequest request;
    request.set_name("double");
    v1::ModelCard card;
    const grpc::Status status = cluster.stub()->GetModelCard(&context, request, &card);
    return status.ok() ? card.max_model_len() : -1;
  };
  EXPECT_EQ(limit_in_card(), 1 << 20);
  cluster.options(0).context = 4096;
  cluster.RestartWorker(0);
  EXPECT_TRUE(Eventually([&] { return limit_in_card() == 4096; }));
}

TEST(RelayTest, ARouterThatIsRestartedDoesNotDisturbTheAttemptsOfAnother) {
  Cluster cluster(Workers(1));
  Call running(cluster.stub(), RequestFor("hello", 1'000'000, 1000));
  ASSERT_TRUE(running.ReadTokens(1));
  for (int i = 0; i < 2; ++i) {  // each has an incarnation of its own
    prometheus::Registry registry;
    Probe probe(&registry, {"a"});
    Router other({*rpc::ParseListenAddress("127.0.0.1:0"), {cluster.worker(0).address()}, {}},
                 &SystemClock(), &probe);
    ASSERT_THAT(other.Start(), IsOk());
    const auto stub = v1::Inference::NewStub(rpc::MakeChannel(other.address()));
    ASSERT_TRUE(Eventually([&] { return other.ConnectedWorkers() == 1; }));
    Call cut_off(stub.get(), RequestFor("hello", 1'000'000, 1000));
    ASSERT_TRUE(cut_off.ReadTokens(1));
    other.Stop(absl::ZeroDuration());
  }
  EXPECT_TRUE(running.ReadTokens(running.seen().tokens[0].size() + 100));
  EXPECT_EQ(running.seen().fault, "");
}

}  // namespace
}  // namespace switchboard::router
