#include "http/admin.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <prometheus/counter.h>
#include <prometheus/registry.h>

#include "base/version.h"
#include "tests/support/status_matchers.h"

namespace switchboard::http {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Pair;

struct Page {
  int status;
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;
};

Page Fetch(AdminHandler* handler, std::string path, std::string method = "GET",
           std::string authorization = "") {
  Request request;
  request.method = std::move(method);
  request.path = std::move(path);
  if (!authorization.empty()) request.headers.emplace_back("authorization", authorization);
  const std::unique_ptr<Exchange> exchange = handler->Start(std::move(request));
  const Step head = exchange->Next();
  const Step body = exchange->Next();
  return {head.head.status, head.head.headers, body.body};
}

AdminOptions Sick() {
  AdminOptions options;
  options.health = [] { return Health{false, "", "no_healthy_worker", "no worker is healthy"}; };
  return options;
}

TEST(AdminHandlerTest, HealthNamesTheModel) {
  AdminOptions options;
  options.health = [] { return Health{true, "tiny", "", ""}; };
  AdminHandler handler(options);
  for (const char* path : {"/health", "/healthz", "/readyz"}) {
    const Page page = Fetch(&handler, path);
    EXPECT_EQ(page.status, 200);
    EXPECT_EQ(page.body, R"({"status":"ok","model":"tiny"})");
    EXPECT_THAT(page.headers, Contains(Pair("Content-Type", "application/json")));
  }
}

TEST(AdminHandlerTest, IllHealthIs503WithTheReason) {
  AdminHandler handler(Sick());
  const Page page = Fetch(&handler, "/health");
  EXPECT_EQ(page.status, 503);
  EXPECT_EQ(
      page.body,
      R"({"error":{"message":"no worker is healthy","type":"service_unavailable_error","param":null,"code":"no_healthy_worker"}})");
  EXPECT_THAT(page.headers, Contains(Pair("Retry-After", "2")));
}

TEST(AdminHandlerTest, LivezIsAboutTheProcessAlone) {
  AdminHandler handler(Sick());
  EXPECT_EQ(Fetch(&handler, "/livez").status, 200);
}

TEST(AdminHandlerTest, ReadyzHasItsOwnAnswer) {
  AdminOptions options;
  options.ready = [] { return Health{false, "", "shutting_down", "draining"}; };
  AdminHandler handler(options);
  EXPECT_EQ(Fetch(&handler, "/health").status, 200);
  EXPECT_EQ(Fetch(&handler, "/readyz").status, 503);
}

TEST(AdminHandlerTest, MetricsAreInPrometheusText) {
  prometheus::Registry registry;
  prometheus::BuildCounter()
      .Name("requests_total")
      .Help("Requests.")
      .Register(registry)
      .Add({})
      .Increment(3);
  AdminOptions options;
  options.registry = &registry;
  AdminHandler handler(options);
  const Page page = Fetch(&handler, "/metrics");
  EXPECT_EQ(page.status, 200);
  EXPECT_EQ(page.body,
            "# HELP requests_total Requests.\n# TYPE requests_total counter\nrequests_total 3\n");
  EXPECT_THAT(page.headers, Contains(Pair("Content-Type", HasSubstr("text/plain; version=0.0.4"))));
}

TEST(AdminHandlerTest, ATokenGuardsTheMetricsOnly) {
  prometheus::Registry registry;
  AdminOptions options;
  options.registry = &registry;
  options.token = "secret";
  AdminHandler handler(options);
  const Page refused = Fetch(&handler, "/metrics");
  EXPECT_EQ(refused.status, 401);
  EXPECT_THAT(refused.headers, Contains(Pair("WWW-Authenticate", "Bearer")));
  EXPECT_EQ(Fetch(&handler, "/metrics", "GET", "Bearer wrong").status, 401);
  EXPECT_EQ(Fetch(&handler, "/metrics", "GET", "Bearer secret").status, 200);
  EXPECT_EQ(Fetch(&handler, "/health").status, 200);
  EXPECT_EQ(Fetch(&handler, "/version").status, 200);
}

TEST(AdminHandlerTest, VersionIsTheBuilds) {
  AdminHandler handler{AdminOptions()};
  EXPECT_EQ(Fetch(&handler, "/version").body, std::string("{\"version\":\"") + kVersion + "\"}");
}

TEST(AdminHandlerTest, UnknownPagesAre404AndOtherMethods405) {
  AdminHandler handler{AdminOptions()};
  EXPECT_EQ(Fetch(&handler, "/metrics").status, 404);  // no registry
  EXPECT_EQ(Fetch(&handler, "/etc/passwd").status, 404);
  const Page page = Fetch(&handler, "/health", "POST");
  EXPECT_EQ(page.status, 405);
  EXPECT_THAT(page.headers, Contains(Pair("Allow", "GET, HEAD")));
}

TEST(AdminServerOptionsTest, StrangersCannotMakeItHoldMuch) {
  const ServerOptions options = AdminServerOptions("::1", 9000);
  EXPECT_EQ(options.host, "::1");
  EXPECT_EQ(options.port, 9000);
  EXPECT_EQ(options.port_flag, "--admin-listen");
  EXPECT_EQ(options.max_connections, 64);
  EXPECT_EQ(options.default_body_bytes, 4096u);
  EXPECT_EQ(options.max_buffered_bytes, 64u * 4096u);
}

TEST(CheckAdminExposureTest, OutsideNeedsAToken) {
  for (const char* host : {"127.0.0.1", "127.8.9.1", "localhost", "::1"}) {
    EXPECT_THAT(CheckAdminExposure(host, ""), IsOk()) << host;
  }
  for (const char* host : {"0.0.0.0", "::", "10.0.0.1", "", "localhost.evil.com"}) {
    EXPECT_THAT(CheckAdminExposure(host, ""),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("--admin-token-file")))
        << host;
    EXPECT_THAT(CheckAdminExposure(host, "secret"), IsOk()) << host;
  }
}

}  // namespace
}  // namespace switchboard::http
