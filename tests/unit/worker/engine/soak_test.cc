// Many clients at once, submitting, pausing, cancelling: for ThreadSanitizer and AddressSanitizer.
#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "tests/support/status_matchers.h"
#include "tests/unit/worker/engine/random_request.h"
#include "worker/engine/engine.h"

namespace switchboard::engine {
namespace {

constexpr int kClients = 6;
constexpr int kRequestsPerClient = 40;

EngineOptions TightOptions() {
  EngineOptions options = SmallOptions();
  options.max_model_len = 320;
  options.kv_pages = 9;
  options.max_waiting = 4;
  return options;
}

// Submits until the queue takes the request.
uint64_t SubmitPatiently(Engine* engine, const Request& request,
                         const std::shared_ptr<RecordingSink>& sink) {
  while (true) {
    const absl::StatusOr<uint64_t> id = engine->Submit(request, sink);
    if (id.ok()) return *id;
    EXPECT_EQ(id.status().code(), absl::StatusCode::kResourceExhausted);
    std::this_thread::yield();
  }
}

void RunClient(Engine* engine, unsigned seed) {
  std::mt19937 random(seed);
  for (int i = 0; i < kRequestsPerClient; ++i) {
    const Request request = RandomRequest(TightOptions(), &random);
    const auto sink = std::make_shared<RecordingSink>(request.choices);
    const bool pauses = Uniform(0, 3, &random) == 0;
    if (pauses) sink->SetAllowance(0);
    const uint64_t id = SubmitPatiently(engine, request, sink);
    if (Uniform(0, 3, &random) == 0) {
      for (int wait = Uniform(0, 2000, &random); wait > 0; --wait) std::this_thread::yield();
      engine->Cancel(id);
      continue;
    }
    if (pauses) {
      sink->SetAllowance(-1);
      engine->Wake();
    }
    sink->WaitForEnd();
    EXPECT_EQ(sink->answers(), ReferenceAnswers(request, TightOptions().max_model_len,
                                                TightOptions().eos_token_ids));
  }
}

TEST(EngineSoak, ManyClientsGetTheirAnswers) {
  FakeModel model;
  Engine engine(&model, TightOptions(), SystemClock());
  ASSERT_THAT(engine.Start(), IsOk());
  std::vector<std::thread> clients;
  for (unsigned i = 0; i < kClients; ++i) clients.emplace_back(RunClient, &engine, i);
  for (std::thread& client : clients) client.join();
  engine.Stop(absl::Seconds(60));
  EXPECT_EQ(engine.Stats().running, 0);
  EXPECT_EQ(engine.Stats().waiting, 0);
  EXPECT_EQ(engine.Stats().kv_pages_used, 0);
}

TEST(EngineSoak, StopMayComeAtAnyTime) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    std::mt19937 random(seed);
    FakeModel model;
    Engine engine(&model, TightOptions(), SystemClock());
    ASSERT_THAT(engine.Start(), IsOk());
    std::vector<std::shared_ptr<RecordingSink>> sinks;
    for (int i = 0; i < 4; ++i) {
      const Request request = RandomRequest(TightOptions(), &random);
      sinks.push_back(std::make_shared<RecordingSink>(request.choices));
      SubmitPatiently(&engine, request, sinks.back());
    }
    for (int wait = Uniform(0, 3000, &random); wait > 0; --wait) std::this_thread::yield();
    engine.Stop(absl::ZeroDuration());
    for (const auto& sink : sinks) EXPECT_TRUE(sink->ended());
  }
}

}  // namespace
}  // namespace switchboard::engine
