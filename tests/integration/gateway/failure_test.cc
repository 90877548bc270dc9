// What a client sees when a worker refuses, breaks or lies.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/match.h"
#include "tests/integration/gateway/harness.h"

namespace switchboard::gateway {
namespace {

using testing::HasSubstr;

constexpr char kStream[] = R"(,"stream":true,"max_tokens":10,"seed":0)";
constexpr char kWhole[] = R"(,"max_tokens":10,"seed":0)";

class FailureTest : public testing::Test {
 protected:
  const std::unique_ptr<doubles::DoubleWorker> worker_ = StartDouble();
  const Gateway gateway_{OptionsFor({worker_->address()})};
};

TEST_F(FailureTest, ARefusalHasAStatusOfItsOwn) {
  const struct {
    const char* fault;
    int status;
    const char* code;
  } kRows[] = {
      {"[[refuse INVALID_ARGUMENT]]", 400, "invalid_value"},
      {"[[refuse NOT_FOUND]]", 404, "model_not_found"},
      {"[[refuse RESOURCE_EXHAUSTED]]", 503, "server_is_overloaded"},
      {"[[refuse UNAVAILABLE]]", 503, "no_healthy_worker"},
      {"[[refuse INTERNAL]]", 502, "upstream_error"},
      {"[[refuse FAILED_PRECONDITION]]", 503, "model_loading"},
  };
  for (const auto& row : kRows) {
    for (const char* fields : {kStream, kWhole}) {
      const http::RawReply reply = gateway_.AskChat(row.fault, fields);
      EXPECT_EQ(reply.status, row.status) << row.fault;
      EXPECT_EQ(reply.Header("content-type"), "application/json");
      EXPECT_THAT(reply.body, HasSubstr(row.code));
      EXPECT_EQ(reply.Header("retry-after").empty(), row.status != 503);
    }
  }
}

TEST_F(FailureTest, ABrokenStreamEndsWithAnErrorAndDone) {
  for (const char* fault : {"[[break-after 2]]", "[[fail-after 2]]", "[[gap-after 2]]"}) {
    const http::RawReply reply = gateway_.AskChat(fault, kStream);
    EXPECT_EQ(reply.status, 200);
    // role, two tokens, and the error together with [DONE]
    ASSERT_EQ(reply.chunks.size(), 4u) << fault;
    EXPECT_THAT(reply.chunks[3], HasSubstr(R"("code":"upstream_error")"));
    EXPECT_TRUE(absl::EndsWith(reply.chunks[3], "}\n\ndata: [DONE]\n\n"));
  }
}

TEST_F(FailureTest, ABrokenWholeAnswerIsABadGateway) {
  const http::RawReply reply = gateway_.AskChat("[[break-after 2]]", kWhole);
  EXPECT_EQ(reply.status, 502);
  EXPECT_THAT(reply.body, HasSubstr(R"("code":"upstream_error")"));
}

TEST_F(FailureTest, AFullWorkerSaysWhenToComeBack) {
  doubles::DoubleOptions options;
  options.max_running = 1;
  options.max_waiting = 0;
  const std::unique_ptr<doubles::DoubleWorker> worker = StartDouble(options);
  const Gateway gateway(OptionsFor({worker->address()}));
  http::RawClient busy(gateway.port());
  ASSERT_TRUE(
      busy.Send(Gateway::Chat("Hi", R"(,"stream":true,"max_tokens":100000,"seed":100000)")));
  busy.ReadUntil("\"content\":\"@");
  const http::RawReply reply = gateway.AskChat("Hi", kStream);
  EXPECT_EQ(reply.status, 503);
  EXPECT_THAT(reply.body, HasSubstr(R"("code":"server_is_overloaded")"));
  EXPECT_FALSE(reply.Header("retry-after").empty());
  // The place that is freed is given away again.
  busy.Leave();
  EXPECT_TRUE(Eventually([&gateway] { return gateway.AskChat("Hi", kStream).status == 200; }));
}

TEST_F(FailureTest, ASilentWorkerMeetsTheDeadline) {
  GatewayOptions options = OptionsFor({worker_->address()});
  options.request_timeout = absl::Milliseconds(100);
  const Gateway gateway(options);
  const http::RawReply before = gateway.AskChat("[[hang]]", kStream);
  EXPECT_EQ(before.status, 504);
  EXPECT_EQ(before.Header("x-should-retry"), "false");
  const http::RawReply after = gateway.AskChat("[[hang-after 1]]", kStream);
  EXPECT_EQ(after.status, 200);
  EXPECT_THAT(after.body, HasSubstr(R"("code":"deadline_exceeded")"));
}

TEST_F(FailureTest, HealthIsServedWhileEverythingHangs) {
  http::RawClient hung(gateway_.port());
  ASSERT_TRUE(hung.Send(Gateway::Chat("[[hang]]", kWhole)));
  EXPECT_TRUE(Eventually([this] { return worker_->counts().started >= 1; }));
  EXPECT_EQ(gateway_.Get("/health").body, R"({"status":"ok","model":"double"})");
}

}  // namespace
}  // namespace switchboard::gateway
