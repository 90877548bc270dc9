// Starting and stopping the whole.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>

#include "absl/strings/str_cat.h"
#include "tests/integration/gateway/harness.h"
#include "tests/support/status_matchers.h"

namespace switchboard::gateway {
namespace {

using testing::HasSubstr;

TEST(GatewayServerTest, ATakenPortIsOneClearError) {
  const std::unique_ptr<doubles::DoubleWorker> worker = StartDouble();
  const Gateway first(OptionsFor({worker->address()}));
  GatewayOptions options = OptionsFor({worker->address()});
  options.port = first.port();
  EXPECT_THAT(GatewayServer::Start(options).status(),
              StatusIs(absl::StatusCode::kAlreadyExists, HasSubstr("--port")));
}

TEST(GatewayServerTest, StoppingLetsRunningAnswersFinish) {
  const std::unique_ptr<doubles::DoubleWorker> worker = StartDouble();
  Gateway gateway(OptionsFor({worker->address()}));
  http::RawClient client(gateway.port());
  ASSERT_TRUE(client.Send(Gateway::Chat("Hi", R"(,"stream":true,"max_tokens":50,"seed":10000)")));
  client.ReadUntil("\"content\":\"@");
  std::future<void> stopped = std::async(std::launch::async, [&gateway] { gateway.Stop(); });
  EXPECT_THAT(client.ReadAll(), HasSubstr("data: [DONE]"));
  stopped.wait();
}

TEST(GatewayServerTest, AnAnswerThatOutlastsTheDrainEndsWithAnErrorAndDone) {
  const std::unique_ptr<doubles::DoubleWorker> worker = StartDouble();
  GatewayOptions options = OptionsFor({worker->address()});
  options.drain_timeout = absl::ZeroDuration();
  Gateway gateway(options);
  http::RawClient streaming(gateway.port()), waiting(gateway.port());
  // A token each tenth of a second, for hours.
  ASSERT_TRUE(
      streaming.Send(Gateway::Chat("Hi", R"(,"stream":true,"max_tokens":100000,"seed":100000)")));
  ASSERT_TRUE(waiting.Send(Gateway::Chat("Hi", R"(,"max_tokens":100000,"seed":100000)")));
  streaming.ReadUntil("\"content\":\"@");
  EXPECT_TRUE(Eventually([&worker] { return worker->counts().running == 2; }));
  gateway.Stop();
  const std::string rest = streaming.ReadAll();
  EXPECT_THAT(rest, HasSubstr(R"(data: {"error":{"message":"The server is shutting down.",)"
                              R"("type":"service_unavailable_error","param":null,)"
                              R"("code":"shutting_down"}})"
                              "\n\ndata: [DONE]\n\n\r\n0\r\n\r\n"));
  const http::RawReply reply = waiting.Read();
  EXPECT_EQ(reply.status, 503);
  EXPECT_THAT(reply.body, HasSubstr(R"("code":"shutting_down")"));
  EXPECT_EQ(reply.Header("connection"), "close");
}

TEST(GatewayServerTest, KeysAreAskedForBeforeTheBodyIsRead) {
  const std::unique_ptr<doubles::DoubleWorker> worker = StartDouble();
  GatewayOptions options = OptionsFor({worker->address()});
  options.api_keys = *ApiKeys::Parse("sk-1");
  const Gateway gateway(options);
  http::RawClient client(gateway.port());
  // The body never comes.
  ASSERT_TRUE(client.Send(
      "POST /v1/chat/completions HTTP/1.1\r\nHost: test\r\nContent-Length: 1000000\r\n\r\n"));
  EXPECT_EQ(client.Read().status, 401);
}

TEST(GatewayServerTest, AnOpenAdminListenerNeedsAToken) {
  const std::unique_ptr<doubles::DoubleWorker> worker = StartDouble();
  GatewayOptions options = OptionsFor({worker->address()});
  options.admin.address = rpc::Address{"0.0.0.0", 0, ""};
  EXPECT_THAT(GatewayServer::Start(options).status(),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("--admin-token-file")));
}

TEST(GatewayServerTest, PathsAreTolerant) {
  const std::unique_ptr<doubles::DoubleWorker> worker = StartDouble();
  const Gateway gateway(OptionsFor({worker->address()}));
  for (const char* path : {"//v1//models/", "/v1/models?api-version=1", "/models",
                           "/v1/models/double", "/v1/models/doub%6Ce"}) {
    EXPECT_EQ(gateway.Get(path).status, 200) << path;
  }
}

}  // namespace
}  // namespace switchboard::gateway
