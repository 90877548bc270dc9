#include "gateway/handlers/api_handler.h"

#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/check.h"
#include "base/json.h"
#include "base/version.h"
#include "gateway/handlers/generation_exchange.h"
#include "gateway/openai/error.h"
#include "gateway/openai/model_list.h"

namespace switchboard::gateway {
namespace {

constexpr size_t kMaxGenerationBody = size_t{64} << 20;  // screenshots in base64
constexpr size_t kMaxOtherBody = size_t{8} << 20;

std::unique_ptr<http::Exchange> ReplyJson(std::string body) {
  http::Head head;
  head.headers.emplace_back("Content-Type", "application/json");
  return http::ReplyWith(std::move(head), std::move(body));
}

std::unique_ptr<http::Exchange> ReplyError(const absl::Status& error, absl::string_view path) {
  openai::ErrorReply reply = openai::ToErrorReply(error);
  http::Head head;
  head.status = reply.status;
  head.headers = std::move(reply.headers);
  head.headers.emplace_back("Content-Type", "application/json");
  if (reply.code == "method_not_allowed") head.headers.emplace_back("Allow", AllowedMethods(path));
  return http::ReplyWith(std::move(head), std::move(reply.body));
}

// Another exchange, whose status is counted as it goes out.
class CountedExchange final : public http::Exchange {
 public:
  // `endpoint` is a literal, `probe` borrowed.
  CountedExchange(std::unique_ptr<http::Exchange> inner, Probe* probe, absl::string_view endpoint)
      : inner_(std::move(inner)), probe_(*probe), endpoint_(endpoint) {}

  http::Step Next() override {
    http::Step step = inner_->Next();
    if (step.kind == http::Step::kHead) probe_.OnReply(endpoint_, step.head.status);
    return step;
  }
  void NotifyWhenReady(std::function<void()> wake) override {
    inner_->NotifyWhenReady(std::move(wake));
  }

 private:
  const std::unique_ptr<http::Exchange> inner_;
  Probe& probe_;
  const absl::string_view endpoint_;
};

bool Generates(Endpoint endpoint) {
  return endpoint == Endpoint::kChat || endpoint == Endpoint::kCompletions;
}

// No content type is taken for JSON.
absl::Status CheckContentType(absl::string_view content_type) {
  const std::vector<absl::string_view> parts =
      absl::StrSplit(content_type, absl::MaxSplits(';', 1));
  const absl::string_view type = absl::StripAsciiWhitespace(parts[0]);
  if (type.empty() || absl::EqualsIgnoreCase(type, "application/json")) return absl::OkStatus();
  return openai::Error("unsupported_media_type", "", "The content type must be application/json.");
}

openai::ModelEntry EntryOf(const ModelName& name) {
  return {name.name, name.root, name.created, name.max_model_len};
}

}  // namespace

ApiHandler::ApiHandler(const Services* services, ApiKeys keys, const prometheus::Registry* registry)
    : services_(*services), keys_(std::move(keys)), registry_(*registry) {}

std::unique_ptr<http::Exchange> ApiHandler::Refuse(const http::Request& head) const {
  const absl::StatusOr<Route> route = FindRoute(head.method, head.path);
  absl::Status problem;
  if (!route.ok() || !IsPublic(route->endpoint)) {
    problem = keys_.Check(head.Header("authorization"), head.Header("x-api-key"));
  }
  if (problem.ok()) problem = route.status();
  if (problem.ok() && Generates(route->endpoint)) {
    problem = CheckContentType(head.Header("content-type"));
  }
  if (problem.ok()) return nullptr;
  return std::make_unique<CountedExchange>(ReplyError(problem, head.path), services_.probe,
                                           route.ok() ? EndpointName(route->endpoint) : "other");
}

std::unique_ptr<http::Exchange> ApiHandler::Start(http::Request request) {
  const absl::StatusOr<Route> route = FindRoute(request.method, request.path);
  CHECK(route.ok());
  if (Generates(route->endpoint)) {
    return std::make_unique<GenerationExchange>(route->endpoint, std::move(request), &services_);
  }
  return std::make_unique<CountedExchange>(Page(*route), services_.probe,
                                           EndpointName(route->endpoint));
}

std::unique_ptr<http::Exchange> ApiHandler::Page(const Route& route) const {
  switch (route.endpoint) {
    case Endpoint::kModels:
      return ModelList();
    case Endpoint::kModel:
      return OneModel(route.model);
    case Endpoint::kHealth:
      return http::HealthPage(Health());
    case Endpoint::kReady:
      return http::HealthPage(Readiness());
    case Endpoint::kLive:
      return http::HealthPage(http::Health());
    case Endpoint::kVersion:
      return http::VersionPage();
    case Endpoint::kMetrics:
      for (const ModelName& name : services_.directory->Get()->names) {
        services_.probe->OnModel(name.name);
      }
      return http::MetricsPage(registry_);
    default:
      return ReplyJson(SerializeJson(JsonObject{
          {"name", "switchboard"}, {"version", kVersion}, {"api", "/v1"}, {"health", "/health"}}));
  }
}

size_t ApiHandler::BodyLimit(absl::string_view path) {
  const absl::StatusOr<Route> route = FindRoute("POST", path);
  return route.ok() && Generates(route->endpoint) ? kMaxGenerationBody : kMaxOtherBody;
}

http::Health ApiHandler::Readiness() const {
  if (!draining_.load(std::memory_order_relaxed)) return Health();
  http::Health health;
  health.ok = false;
  health.code = "shutting_down";
  health.reason = "The gateway is stopping.";
  return health;
}

void ApiHandler::Drain() { draining_.store(true, std::memory_order_relaxed); }

http::Health ApiHandler::Health() const {
  const std::shared_ptr<const DirectorySnapshot> models = services_.directory->Get();
  http::Health health;
  health.ok = models->state.ok();
  if (health.ok) {
    health.model = models->names.front().name;
  } else {
    health.code = openai::ToErrorReply(models->state).code;
    health.reason = std::string(models->state.message());
  }
  return health;
}

std::unique_ptr<http::Exchange> ApiHandler::ModelList() const {
  std::vector<openai::ModelEntry> entries;
  for (const ModelName& name : services_.directory->Get()->names) {
    entries.push_back(EntryOf(name));
  }
  return ReplyJson(openai::ModelListJson(entries));
}

std::unique_ptr<http::Exchange> ApiHandler::OneModel(const std::string& name) const {
  const std::shared_ptr<const DirectorySnapshot> models = services_.directory->Get();
  for (const ModelName& one : models->names) {
    if (one.name == name) return ReplyJson(openai::ModelJson(EntryOf(one)));
  }
  return ReplyError(openai::ModelNotFound(name), "");
}

}  // namespace switchboard::gateway
