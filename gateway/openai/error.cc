#include "gateway/openai/error.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/cord.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/types/optional.h"
#include "base/check.h"
#include "base/utf8.h"

namespace switchboard::openai {
namespace {

using absl::StatusCode;

constexpr char kCodePayload[] = "openai/code";
constexpr char kParamPayload[] = "openai/param";
constexpr char kRetryAfterPayload[] = "openai/retry-after";
constexpr char kPromptTokensPayload[] = "openai/n_prompt_tokens";
constexpr char kContextPayload[] = "openai/n_ctx";

// Waits offered to a client, in seconds: a storm of early retries helps nobody, and SDKs give up on
// waits above a minute.
constexpr int kLeastRetryAfter = 1, kMostRetryAfter = 60;

struct Kind {
  const char* code;
  int http;
  const char* type;
  StatusCode status;
};

// Every slug that is not a plain 400.
constexpr Kind kKinds[] = {
    {"invalid_api_key", 401, "authentication_error", StatusCode::kUnauthenticated},
    {"feature_disabled", 403, "permission_error", StatusCode::kPermissionDenied},
    {"model_not_found", 404, "invalid_request_error", StatusCode::kNotFound},
    {"not_found", 404, "invalid_request_error", StatusCode::kNotFound},
    {"method_not_allowed", 405, "invalid_request_error", StatusCode::kInvalidArgument},
    {"request_too_large", 413, "invalid_request_error", StatusCode::kInvalidArgument},
    {"unsupported_media_type", 415, "invalid_request_error", StatusCode::kInvalidArgument},
    {"internal_error", 500, "server_error", StatusCode::kInternal},
    {"not_implemented", 501, "not_supported_error", StatusCode::kUnimplemented},
    {"upstream_error", 502, "server_error", StatusCode::kInternal},
    {"server_is_overloaded", 503, "service_unavailable_error", StatusCode::kResourceExhausted},
    {"model_loading", 503, "service_unavailable_error", StatusCode::kUnavailable},
    {"no_healthy_worker", 503, "service_unavailable_error", StatusCode::kUnavailable},
    {"shutting_down", 503, "service_unavailable_error", StatusCode::kUnavailable},
    {"deadline_exceeded", 504, "timeout_error", StatusCode::kDeadlineExceeded},
};
constexpr Kind kBadRequest = {"invalid_value", 400, "invalid_request_error",
                              StatusCode::kInvalidArgument};

const Kind& KindOf(absl::string_view code) {
  for (const Kind& kind : kKinds) {
    if (code == kind.code) return kind;
  }
  return kBadRequest;
}

absl::string_view DefaultCode(StatusCode status) {
  switch (status) {
    case StatusCode::kInvalidArgument:
    case StatusCode::kOutOfRange:
      return "invalid_value";
    case StatusCode::kUnauthenticated:
      return "invalid_api_key";
    case StatusCode::kPermissionDenied:
      return "feature_disabled";
    case StatusCode::kNotFound:
      return "not_found";
    case StatusCode::kResourceExhausted:
      return "server_is_overloaded";
    case StatusCode::kUnavailable:
      return "no_healthy_worker";
    case StatusCode::kDeadlineExceeded:
      return "deadline_exceeded";
    case StatusCode::kUnimplemented:
      return "not_implemented";
    default:
      return "internal_error";
  }
}

// absl::Cord's constructor from std::string&& is not in the packaged library when clang builds us.
void SetText(absl::string_view url, const std::string& text, absl::Status* status) {
  status->SetPayload(url, absl::Cord(absl::string_view(text)));
}

std::string Payload(const absl::Status& status, absl::string_view url) {
  const absl::optional<absl::Cord> payload = status.GetPayload(url);
  return payload.has_value() ? std::string(*payload) : std::string();
}

void AddNumber(const absl::Status& status, absl::string_view url, const char* key,
               JsonObject* object) {
  int64_t value = 0;
  if (absl::SimpleAtoi(Payload(status, url), &value)) (*object)[key] = value;
}

int RetryAfterSeconds(const absl::Status& status) {
  double seconds = kLeastRetryAfter;
  if (!absl::SimpleAtod(Payload(status, kRetryAfterPayload), &seconds)) return kLeastRetryAfter;
  return static_cast<int>(
      std::clamp<double>(std::ceil(seconds), kLeastRetryAfter, kMostRetryAfter));
}

// One line of valid UTF-8: messages quote what clients and other servers sent.
std::string OneLine(absl::string_view message) {
  return absl::StrReplaceAll(ReplaceInvalidUtf8(message), {{"\n", " "}, {"\r", " "}});
}

// Clients look for the beginning of this sentence.
std::string ContextIntroduction(int64_t context) {
  return absl::StrCat("This model's maximum context length is ", context,
                      " tokens. However, your prompt contains ");
}

absl::Status ContextLengthExceeded(absl::string_view param, int64_t context, int64_t prompt_tokens,
                                   absl::string_view message) {
  absl::Status status = Error("context_length_exceeded", param, message);
  SetText(kPromptTokensPayload, absl::StrCat(prompt_tokens), &status);
  SetText(kContextPayload, absl::StrCat(context), &status);
  return status;
}

}  // namespace

absl::Status Error(absl::string_view code, absl::string_view param, absl::string_view message) {
  absl::Status status(KindOf(code).status, message);
  status.SetPayload(kCodePayload, absl::Cord(code));
  if (!param.empty()) status.SetPayload(kParamPayload, absl::Cord(param));
  return status;
}

absl::Status PromptTooLong(absl::string_view param, int64_t context, int64_t prompt_tokens,
                           bool exact) {
  return ContextLengthExceeded(
      param, context, prompt_tokens,
      absl::StrCat(
          ContextIntroduction(context), exact ? "" : "at least ", prompt_tokens,
          " input tokens, which leaves no room for an answer. Please shorten the prompt."));
}

absl::Status OutputTooLong(absl::string_view param, int64_t context, int64_t prompt_tokens,
                           int64_t requested_output) {
  return ContextLengthExceeded(
      param, context, prompt_tokens,
      absl::StrCat(ContextIntroduction(context), prompt_tokens, " input tokens and you requested ",
                   requested_output, " output tokens, for a total of ",
                   prompt_tokens + requested_output, ". Please shorten the prompt or ", param,
                   "."));
}

absl::Status WithRetryAfter(absl::Status status, absl::Duration retry_after) {
  SetText(kRetryAfterPayload, absl::StrCat(absl::ToDoubleSeconds(retry_after)), &status);
  return status;
}

ErrorReply ToErrorReply(const absl::Status& status) {
  CHECK(!status.ok());
  ErrorReply reply;
  reply.code = Payload(status, kCodePayload);
  if (reply.code.empty()) reply.code = std::string(DefaultCode(status.code()));
  const Kind& kind = KindOf(reply.code);
  reply.status = kind.http;
  const std::string param = Payload(status, kParamPayload);
  JsonObject error;
  error["message"] = kind.http == 500 ? "The server had an error while processing your request. "
                                        "Please report the request id."
                                      : OneLine(status.message());
  error["type"] = kind.type;
  error["param"] = param.empty() ? Json(nullptr) : Json(param);
  error["code"] = reply.code;
  AddNumber(status, kPromptTokensPayload, "n_prompt_tokens", &error);
  AddNumber(status, kContextPayload, "n_ctx", &error);
  reply.body = SerializeJson(JsonObject{{"error", std::move(error)}});
  if (kind.http == 503) {
    reply.headers.emplace_back("Retry-After", absl::StrCat(RetryAfterSeconds(status)));
  }
  // The work was done, or never can be: SDKs must not try again by themselves.
  if (kind.http == 504 || kind.http == 501) reply.headers.emplace_back("x-should-retry", "false");
  if (kind.http == 401) reply.headers.emplace_back("WWW-Authenticate", "Bearer");
  return reply;
}

}  // namespace switchboard::openai
