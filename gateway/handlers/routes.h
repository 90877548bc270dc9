// Which endpoint a method and a path mean. Pure.
#ifndef SWITCHBOARD_GATEWAY_HANDLERS_ROUTES_H_
#define SWITCHBOARD_GATEWAY_HANDLERS_ROUTES_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace switchboard::gateway {

enum class Endpoint {
  kChat,
  kCompletions,
  kModels,  // the list
  kModel,   // one of it
  kHealth,
  kReady,
  kLive,
  kVersion,
  kMetrics,
  kRoot,
};

struct Route {
  Endpoint endpoint = Endpoint::kRoot;
  std::string model;  // of kModel
};

// What `path` (as in http::Request) and `method` stand for. 404 not_found for an unknown path, 405
// method_not_allowed for a known one; AllowedMethods has the Allow header then.
absl::StatusOr<Route> FindRoute(absl::string_view method, absl::string_view path);

// "GET, POST" and so on; empty for an unknown path.
std::string AllowedMethods(absl::string_view path);

// Whether an endpoint is for everybody, also where API keys are required.
bool IsPublic(Endpoint endpoint);

// Label of the endpoint in metrics.
absl::string_view EndpointName(Endpoint endpoint);

}  // namespace switchboard::gateway

#endif  // SWITCHBOARD_GATEWAY_HANDLERS_ROUTES_H_
