#include "gateway/handlers/routes.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "gateway/openai/error.h"

namespace switchboard::gateway {
namespace {

struct Row {
  absl::string_view path;
  Endpoint endpoint;
  bool get, post;
};

// Paths without /v1 are for clients whose base_url lacks it; /completions is not among them,
// because elsewhere that name means another protocol.
constexpr Row kRows[] = {
    {"/v1/chat/completions", Endpoint::kChat, false, true},
    {"/chat/completions", Endpoint::kChat, false, true},
    {"/v1/completions", Endpoint::kCompletions, false, true},
    {"/v1/models", Endpoint::kModels, true, false},
    {"/models", Endpoint::kModels, true, false},
    {"/health", Endpoint::kHealth, true, false},
    {"/v1/health", Endpoint::kHealth, true, false},
    {"/healthz", Endpoint::kHealth, true, false},
    {"/ping", Endpoint::kHealth, true, true},
    {"/readyz", Endpoint::kReady, true, false},
    {"/livez", Endpoint::kLive, true, false},
    {"/version", Endpoint::kVersion, true, false},
    {"/metrics", Endpoint::kMetrics, true, false},
    {"/", Endpoint::kRoot, true, false},
};

constexpr Row kModelRow = {"/v1/models/", Endpoint::kModel, true, false};

// The row of a path, and the name behind it for a single model.
const Row* FindRow(absl::string_view path, absl::string_view* model) {
  for (const Row& row : kRows) {
    if (path == row.path) return &row;
  }
  for (absl::string_view prefix : {kModelRow.path, absl::string_view("/models/")}) {
    *model = path;
    if (absl::ConsumePrefix(model, prefix) && !model->empty()) return &kModelRow;
  }
  return nullptr;
}

absl::Status UnknownPath(absl::string_view path) {
  if (absl::StrContains(path, "/chat/completions/chat/completions")) {
    return openai::Error("not_found", "", "No such path: base_url must end at /v1.");
  }
  return openai::Error("not_found", "", "No such path.");
}

}  // namespace

absl::StatusOr<Route> FindRoute(absl::string_view method, absl::string_view path) {
  absl::string_view model;
  const Row* row = FindRow(path, &model);
  if (row == nullptr) return UnknownPath(path);
  // HEAD comes as GET (see http/server.h).
  const bool allowed = (method == "GET" && row->get) || (method == "POST" && row->post);
  if (!allowed) {
    return openai::Error("method_not_allowed", "",
                         absl::StrCat("This path takes ", AllowedMethods(path), " only."));
  }
  Route route;
  route.endpoint = row->endpoint;
  if (row == &kModelRow) route.model = std::string(model);
  return route;
}

std::string AllowedMethods(absl::string_view path) {
  absl::string_view model;
  const Row* row = FindRow(path, &model);
  if (row == nullptr) return "";
  return absl::StrCat(row->get ? "GET, HEAD" : "", row->get && row->post ? ", " : "",
                      row->post ? "POST" : "");
}

bool IsPublic(Endpoint endpoint) {
  return endpoint == Endpoint::kHealth || endpoint == Endpoint::kReady ||
         endpoint == Endpoint::kLive || endpoint == Endpoint::kVersion;
}

absl::string_view EndpointName(Endpoint endpoint) {
  switch (endpoint) {
    case Endpoint::kChat:
      return "chat";
    case Endpoint::kCompletions:
      return "completions";
    case Endpoint::kModels:
    case Endpoint::kModel:
      return "models";
    default:
      return "other";
  }
}

}  // namespace switchboard::gateway
