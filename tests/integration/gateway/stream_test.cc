#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/check.h"
#include "base/json.h"
#include "tests/integration/gateway/harness.h"

namespace switchboard::gateway {
namespace {

using testing::HasSubstr;
using testing::MatchesRegex;

// The JSON of an event `data: JSON` and two line feeds.
JsonObject EventJson(absl::string_view event) {
  CHECK(absl::ConsumePrefix(&event, "data: "));
  const absl::StatusOr<Json> json = ParseJson(event);
  CHECK(json.ok());
  return json->as_object();
}

class StreamTest : public testing::Test {
 protected:
  int running() const { return worker_->counts().running; }

  const std::unique_ptr<doubles::DoubleWorker> worker_ = StartDouble();
  const Gateway gateway_{OptionsFor({worker_->address()})};
};

TEST_F(StreamTest, EveryEventIsAChunkFromRoleToDone) {
  const http::RawReply reply = gateway_.AskChat(
      "Hi", R"(,"stream":true,"max_tokens":3,"seed":0,"stream_options":{"include_usage":true})");
  ASSERT_EQ(reply.status, 200);
  EXPECT_EQ(reply.Header("content-type"), "text/event-stream; charset=utf-8");
  EXPECT_EQ(reply.Header("cache-control"), "no-cache");
  EXPECT_EQ(reply.Header("x-accel-buffering"), "no");
  // role, three tokens, finish, and usage together with [DONE]
  ASSERT_EQ(reply.chunks.size(), 6u);
  EXPECT_EQ(EventJson(reply.chunks[0]).at("choices").at(0).at("delta"),
            (JsonObject{{"role", "assistant"}, {"content", ""}}));
  for (int i = 1; i <= 3; ++i) {
    const JsonObject event = EventJson(reply.chunks[i]);
    EXPECT_THAT(
        std::string(ToAbsl(event.at("choices").at(0).at("delta").at("content").as_string())),
        MatchesRegex("@[0-9]{5}"));
    EXPECT_TRUE(event.at("usage").is_null());
  }
  EXPECT_EQ(EventJson(reply.chunks[4]).at("choices").at(0).at("finish_reason"), "length");
  // "user: Hi\nassistant:" is 19 byte tokens.
  EXPECT_THAT(reply.chunks[5],
              HasSubstr(R"("choices":[],"usage":{"prompt_tokens":19,"completion_tokens":3,)"));
  EXPECT_TRUE(absl::EndsWith(reply.chunks[5], "\n\ndata: [DONE]\n\n"));
}

TEST_F(StreamTest, ChoicesAreInterleavedAndEachHasItsEnd) {
  const http::RawReply reply =
      gateway_.AskChat("Hi", R"(,"stream":true,"max_tokens":2,"seed":0,"n":3)");
  int finishes = 0;
  for (const std::string& chunk : reply.chunks) {
    finishes += absl::StrContains(chunk, R"("finish_reason":"length")");
  }
  EXPECT_EQ(finishes, 3);
}

TEST_F(StreamTest, ALeavingClientFreesTheWorker) {
  for (bool reset : {false, true}) {
    http::RawClient client(gateway_.port());
    // A token each tenth of a second, for hours.
    ASSERT_TRUE(
        client.Send(Gateway::Chat("Hi", R"(,"stream":true,"max_tokens":100000,"seed":100000)")));
    client.ReadUntil("\"content\":\"@");
    EXPECT_EQ(running(), 1);
    client.Leave(reset);
    EXPECT_TRUE(Eventually([this] { return running() == 0; }));
  }
}

TEST_F(StreamTest, LeavingBeforeTheAnswerFreesTheWorkerToo) {
  http::RawClient client(gateway_.port());
  ASSERT_TRUE(client.Send(Gateway::Chat("Hi", R"(,"max_tokens":100000,"seed":100000)")));
  EXPECT_TRUE(Eventually([this] { return running() == 1; }));
  client.Leave();
  EXPECT_TRUE(Eventually([this] { return running() == 0; }));
}

TEST_F(StreamTest, AStopStringFreesTheWorker) {
  const http::RawReply reply =
      gateway_.AskChat("Hi", R"(,"max_tokens":100000,"seed":1000,"stop":"@")");
  EXPECT_THAT(reply.body, HasSubstr(R"("content":"","refusal":null)"));
  EXPECT_THAT(reply.body, HasSubstr(R"("completion_tokens":1)"));
  EXPECT_TRUE(Eventually([this] { return running() == 0; }));
}

TEST_F(StreamTest, ASlowReaderStopsTheWorkerAndNobodyElse) {
  http::RawClient slow(gateway_.port(), 4096);
  constexpr int kTokens = 1000000;
  ASSERT_TRUE(slow.Send(
      Gateway::Chat("Hi", absl::StrCat(R"(,"stream":true,"seed":0,"max_tokens":)", kTokens))));
  slow.ReadUntil("\"content\":\"@");
  // Each of these is one step, and a round trip through everything that the stream could fill. They
  // go on until nothing but them moves: the stream has stopped, at its end if nothing holds it.
  constexpr int kOthers = 100;
  uint64_t before = 0;
  do {
    before = worker_->counts().steps;
    for (int i = 0; i < kOthers; ++i) {
      ASSERT_EQ(gateway_.AskChat("Hi", R"(,"max_tokens":1,"seed":0)").status, 200);
    }
  } while (worker_->counts().steps > before + kOthers);
  // What the sockets, HTTP/2 windows and queues on the way hold: far from all of it.
  EXPECT_LT(worker_->counts().steps, kTokens / 2);
  EXPECT_EQ(running(), 1);
}

TEST_F(StreamTest, AnswersToManyClientsAtOnceAreWhole) {
  std::vector<std::unique_ptr<http::RawClient>> clients;
  for (int i = 0; i < 32; ++i) {
    clients.push_back(std::make_unique<http::RawClient>(gateway_.port()));
    ASSERT_TRUE(
        clients.back()->Send(Gateway::Chat("Hi", R"(,"stream":true,"max_tokens":50,"seed":1000)")));
  }
  for (const auto& client : clients) {
    const http::RawReply reply = client->Read();
    EXPECT_EQ(reply.status, 200);
    EXPECT_EQ(reply.chunks.size(), 53u);  // role, 50 tokens, finish, [DONE]
  }
}

}  // namespace
}  // namespace switchboard::gateway
