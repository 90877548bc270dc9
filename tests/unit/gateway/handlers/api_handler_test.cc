#include "gateway/handlers/api_handler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

#include "base/version.h"
#include "tests/unit/gateway/handlers/handler_fixture.h"

namespace switchboard::gateway {
namespace {

using testing::HasSubstr;

class ApiHandlerTest : public HandlerFixture {};

TEST_F(ApiHandlerTest, ModelsAreListedAndFoundByName) {
  const std::string kModel =
      R"({"id":"m","object":"model","created":1790000000,"owned_by":"switchboard","root":"root",)"
      R"("parent":null,"permission":[],"max_model_len":1000})";
  EXPECT_EQ(Get("/v1/models").body, R"({"object":"list","data":[)" + kModel + "]}");
  EXPECT_EQ(Get("/v1/models/m").body, kModel);
  const Reply missing = Get("/v1/models/a/b");
  EXPECT_EQ(missing.head.status, 404);
  EXPECT_THAT(missing.body, HasSubstr("`a/b` does not exist"));
}

TEST_F(ApiHandlerTest, HealthFollowsTheDirectory) {
  EXPECT_EQ(Get("/health").body, R"({"status":"ok","model":"m"})");
  source_.fingerprint = "";
  LookAgain();
  const Reply down = Get("/health");
  EXPECT_EQ(down.head.status, 503);
  EXPECT_THAT(down.body, HasSubstr("No router can be reached."));
  EXPECT_EQ(Get("/readyz").head.status, 503);
  EXPECT_EQ(Get("/livez").head.status, 200);
}

TEST_F(ApiHandlerTest, VersionAndRoot) {
  EXPECT_EQ(Get("/version").body, std::string(R"({"version":")") + kVersion + "\"}");
  EXPECT_THAT(Get("/").body, HasSubstr(R"({"name":"switchboard")"));
}

TEST_F(ApiHandlerTest, PathsAndMethods) {
  const Reply unknown = Get("/v1/nope");
  EXPECT_EQ(unknown.head.status, 404);
  EXPECT_EQ(unknown.Header("Content-Type"), "application/json");
  const Reply wrong = Get("/v1/chat/completions");
  EXPECT_EQ(wrong.head.status, 405);
  EXPECT_EQ(wrong.Header("Allow"), "POST");
}

TEST_F(ApiHandlerTest, ContentTypeMustBeJson) {
  for (const char* good :
       {"", "application/json", "Application/JSON; charset=utf-8", "application/json ;x=y"}) {
    http::Request request = Post("/v1/chat/completions", "");
    request.headers = {{"content-type", good}};
    EXPECT_EQ(handler_->Refuse(request), nullptr) << good;
  }
  for (const char* bad : {"text/plain", "application/x-www-form-urlencoded", "application/jsonx"}) {
    http::Request request = Post("/v1/chat/completions", "");
    request.headers = {{"content-type", bad}};
    const std::unique_ptr<http::Exchange> refusal = handler_->Refuse(request);
    ASSERT_NE(refusal, nullptr) << bad;
    EXPECT_EQ(ReadReply(refusal.get()).head.status, 415);
  }
}

TEST_F(ApiHandlerTest, KeysGuardEverythingButProbes) {
  UseKeys(*ApiKeys::Parse("sk-1"));
  for (const char* path : {"/v1/models", "/v1/nope", "/metrics", "/", "/v1/models/m"}) {
    const Reply reply = Get(path);
    EXPECT_EQ(reply.head.status, 401) << path;
    EXPECT_EQ(reply.Header("WWW-Authenticate"), "Bearer");
  }
  for (const char* path : {"/health", "/livez", "/readyz", "/version"}) {
    EXPECT_EQ(Get(path).head.status, 200) << path;
  }
  http::Request request;
  request.method = "GET";
  request.path = "/v1/models";
  request.headers = {{"authorization", "Bearer sk-1"}};
  EXPECT_EQ(ReadReply(Ask(std::move(request)).get()).head.status, 200);
}

TEST_F(ApiHandlerTest, OnlyGenerationsHaveLargeBodies) {
  EXPECT_EQ(ApiHandler::BodyLimit("/v1/chat/completions"), size_t{64} << 20);
  EXPECT_EQ(ApiHandler::BodyLimit("/v1/models"), size_t{8} << 20);
  EXPECT_EQ(ApiHandler::BodyLimit("/nope"), size_t{8} << 20);
}

TEST_F(ApiHandlerTest, EveryReplyIsCountedWithTheStatusItHad) {
  Get("/v1/models");
  Get("/v1/models/nope");
  Get("/v1/nope");
  source_.fingerprint = "";
  LookAgain();
  Get("/health");
  const std::string metrics = Get("/metrics").body;
  for (const char* row :
       {R"({endpoint="models",status="200"} 1)", R"({endpoint="models",status="404"} 1)",
        R"({endpoint="other",status="404"} 1)", R"({endpoint="other",status="503"} 1)"}) {
    EXPECT_THAT(metrics, HasSubstr(std::string("switchboard_gateway_requests_total") + row));
  }
}

TEST_F(ApiHandlerTest, GaugesExistBeforeTheFirstRequest) {
  const std::string metrics = Get("/metrics").body;
  EXPECT_THAT(metrics, HasSubstr("vllm:num_requests_running{model_name=\"m\"} 0\n"));
  EXPECT_THAT(metrics, HasSubstr("vllm:num_requests_waiting{model_name=\"m\"} 0\n"));
}

}  // namespace
}  // namespace switchboard::gateway
