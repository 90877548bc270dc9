#include "http/error_body.h"

#include <algorithm>
#include <utility>

#include "base/json.h"
#include "base/utf8.h"

namespace switchboard::http {
namespace {

// Methods that some path answers; sent with every 405 of the server itself (RFC 9110 wants an Allow
// header).
constexpr char kAllMethods[] = "GET, HEAD, POST, DELETE, OPTIONS";

Json TextOrNull(absl::string_view text) {
  if (text.empty()) return nullptr;
  return Json(ToBoost(text));
}

}  // namespace

std::string ErrorBody(absl::string_view message, absl::string_view type, absl::string_view param,
                      absl::string_view code) {
  std::string line = ReplaceInvalidUtf8(message);
  std::replace_if(line.begin(), line.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
  JsonObject error;
  error["message"] = line;
  error["type"] = ToBoost(type);
  error["param"] = TextOrNull(ReplaceInvalidUtf8(param));
  error["code"] = TextOrNull(code);
  JsonObject envelope;
  envelope["error"] = std::move(error);
  return SerializeJson(std::move(envelope));
}

absl::string_view ErrorType(int status) {
  switch (status) {
    case 401:
      return "authentication_error";
    case 403:
      return "permission_error";
    case 408:
    case 504:
      return "timeout_error";
    case 429:
      return "rate_limit_error";
    case 501:
      return "not_supported_error";
    case 503:
      return "service_unavailable_error";
    default:
      return status >= 500 ? "server_error" : "invalid_request_error";
  }
}

Head RefusalHead(const Refusal& refusal) {
  Head head;
  head.status = refusal.status;
  head.headers.emplace_back("Content-Type", "application/json");
  if (refusal.status == 405) head.headers.emplace_back("Allow", kAllMethods);
  if (refusal.status == 503) head.headers.emplace_back("Retry-After", "2");
  return head;
}

std::string RefusalBody(const Refusal& refusal) {
  return ErrorBody(refusal.message, ErrorType(refusal.status), "", refusal.code);
}

std::unique_ptr<Exchange> ReplyRefusal(const Refusal& refusal) {
  return ReplyWith(RefusalHead(refusal), RefusalBody(refusal));
}

}  // namespace switchboard::http
