#include "gateway/handlers/routes.h"

#include <gtest/gtest.h>

#include "tests/unit/gateway/openai/error_case.h"

namespace switchboard::gateway {
namespace {

TEST(RoutesTest, EveryPathHasItsEndpoint) {
  const struct {
    const char* method;
    const char* path;
    Endpoint endpoint;
  } kRows[] = {
      {"POST", "/v1/chat/completions", Endpoint::kChat},
      {"POST", "/chat/completions", Endpoint::kChat},
      {"POST", "/v1/completions", Endpoint::kCompletions},
      {"GET", "/v1/models", Endpoint::kModels},
      {"GET", "/v1/models/org/name:tag", Endpoint::kModel},
      {"GET", "/models/x", Endpoint::kModel},
      {"GET", "/health", Endpoint::kHealth},
      {"GET", "/v1/health", Endpoint::kHealth},
      {"GET", "/healthz", Endpoint::kHealth},
      {"POST", "/ping", Endpoint::kHealth},
      {"GET", "/readyz", Endpoint::kReady},
      {"GET", "/livez", Endpoint::kLive},
      {"GET", "/version", Endpoint::kVersion},
      {"GET", "/metrics", Endpoint::kMetrics},
      {"GET", "/", Endpoint::kRoot},
  };
  for (const auto& row : kRows) {
    const absl::StatusOr<Route> route = FindRoute(row.method, row.path);
    ASSERT_TRUE(route.ok()) << row.path;
    EXPECT_EQ(route->endpoint, row.endpoint) << row.path;
  }
  EXPECT_EQ(FindRoute("GET", "/v1/models/org/name:tag")->model, "org/name:tag");
}

TEST(RoutesTest, UnknownPathsAreNotFound) {
  for (const char* path : {"/v1/no/such", "/completions", "/v1", "/v1/models/"}) {
    EXPECT_EQ(openai::Verdict(FindRoute("GET", path).status()), "404 not_found -") << path;
  }
}

TEST(RoutesTest, DoubledPathSaysWhereBaseUrlMustEnd) {
  const absl::Status status = FindRoute("POST", "/v1/chat/completions/chat/completions").status();
  EXPECT_NE(status.message().find("base_url must end at /v1"), absl::string_view::npos);
}

TEST(RoutesTest, WrongMethodsAreToldTheRightOnes) {
  EXPECT_EQ(openai::Verdict(FindRoute("GET", "/v1/chat/completions").status()),
            "405 method_not_allowed -");
  EXPECT_EQ(AllowedMethods("/v1/chat/completions"), "POST");
  EXPECT_EQ(AllowedMethods("/v1/models"), "GET, HEAD");
  EXPECT_EQ(AllowedMethods("/v1/models/x"), "GET, HEAD");
  EXPECT_EQ(AllowedMethods("/ping"), "GET, HEAD, POST");
  EXPECT_EQ(AllowedMethods("/nope"), "");
}

TEST(RoutesTest, OnlyProbesAndVersionArePublic) {
  for (Endpoint endpoint :
       {Endpoint::kHealth, Endpoint::kReady, Endpoint::kLive, Endpoint::kVersion}) {
    EXPECT_TRUE(IsPublic(endpoint));
  }
  for (Endpoint endpoint : {Endpoint::kChat, Endpoint::kCompletions, Endpoint::kModels,
                            Endpoint::kModel, Endpoint::kMetrics, Endpoint::kRoot}) {
    EXPECT_FALSE(IsPublic(endpoint));
  }
}

}  // namespace
}  // namespace switchboard::gateway
