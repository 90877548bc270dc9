#include "http/admin.h"

#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <sstream>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/host.h"
#include "base/json.h"
#include "base/secret.h"
#include "base/version.h"
#include "http/bearer.h"
#include "http/error_body.h"

namespace switchboard::http {
namespace {

constexpr int kMaxAdminConnections = 64;
constexpr size_t kMaxAdminBody = 4096;

std::unique_ptr<Exchange> ReplyJson(const JsonObject& body) {
  Head head;
  head.headers.emplace_back("Content-Type", "application/json");
  return ReplyWith(std::move(head), SerializeJson(body));
}

std::unique_ptr<Exchange> Unauthorized() {
  const Refusal refusal = {401, "this page needs the admin token", "invalid_api_key"};
  Head head = RefusalHead(refusal);
  head.headers.emplace_back("WWW-Authenticate", "Bearer");
  return ReplyWith(std::move(head), RefusalBody(refusal));
}

}  // namespace

std::unique_ptr<Exchange> HealthPage(const Health& health) {
  if (!health.ok) return ReplyRefusal({503, health.reason, health.code});
  JsonObject body;
  body["status"] = "ok";
  if (!health.model.empty()) body["model"] = health.model;
  return ReplyJson(body);
}

std::unique_ptr<Exchange> MetricsPage(const prometheus::Registry& registry) {
  std::ostringstream text;
  prometheus::TextSerializer().Serialize(text, registry.Collect());
  Head head;
  head.headers.emplace_back("Content-Type", "text/plain; version=0.0.4; charset=utf-8");
  return ReplyWith(std::move(head), text.str());
}

std::unique_ptr<Exchange> VersionPage() {
  JsonObject body;
  body["version"] = kVersion;
  return ReplyJson(body);
}

ServerOptions AdminServerOptions(absl::string_view host, int port) {
  ServerOptions options;
  options.host = std::string(host);
  options.port = port;
  options.port_flag = "--admin-listen";
  options.max_connections = kMaxAdminConnections;
  options.default_body_bytes = kMaxAdminBody;
  options.max_buffered_bytes = kMaxAdminConnections * kMaxAdminBody;
  return options;
}

AdminHandler::AdminHandler(AdminOptions options) : options_(std::move(options)) {}

std::unique_ptr<Exchange> AdminHandler::Start(Request request) {
  const std::string& path = request.path;
  const bool health = path == "/health" || path == "/healthz" || path == "/readyz";
  const bool metrics = path == "/metrics" && options_.registry != nullptr;
  if (!health && !metrics && path != "/livez" && path != "/version") {
    return ReplyRefusal({404, absl::StrCat("there is no page ", path), "not_found"});
  }
  if (request.method != "GET") {
    const Refusal refusal = {405, absl::StrCat(path, " is for GET"), "method_not_allowed"};
    Head head;
    head.status = refusal.status;
    head.headers = {{"Content-Type", "application/json"}, {"Allow", "GET, HEAD"}};
    return ReplyWith(std::move(head), RefusalBody(refusal));
  }
  if (metrics) {
    const absl::string_view given = BearerToken(request.Header("authorization"));
    const bool allowed = options_.token.empty() || Secret(given).Equals(Secret(options_.token));
    return allowed ? MetricsPage(*options_.registry) : Unauthorized();
  }
  if (path == "/version") return VersionPage();
  if (path == "/livez") return HealthPage(Health());
  const bool asks_ready = path == "/readyz" && options_.ready != nullptr;
  const std::function<Health()>& look = asks_ready ? options_.ready : options_.health;
  return HealthPage(look ? look() : Health());
}

absl::Status CheckAdminExposure(absl::string_view host, absl::string_view token) {
  if (!token.empty() || IsLoopback(host)) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("the admin listener on ", host.empty() ? "every address" : host,
                   " is reachable from outside; give --admin-token-file or listen on 127.0.0.1"));
}

}  // namespace switchboard::http
