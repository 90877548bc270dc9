#include "gateway/upstream/client_error.h"

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "base/check.h"
#include "gateway/openai/error.h"
#include "gateway/openai/model_list.h"

namespace switchboard::gateway {
namespace {

using absl::StatusCode;
using openai::Error;

// A refusal of the request itself: `media[k]: cause` is about the k-th image.
absl::Status Refusal(absl::string_view message, absl::Span<const std::string> image_params) {
  absl::string_view rest = message;
  if (absl::ConsumePrefix(&rest, "media[")) {
    const size_t close = rest.find("]: ");
    size_t index = 0;
    if (close != absl::string_view::npos && absl::SimpleAtoi(rest.substr(0, close), &index) &&
        index < image_params.size()) {
      return Error("invalid_image", image_params[index], rest.substr(close + 3));
    }
  }
  return Error("invalid_value", "", message);
}

absl::Status BeforeAcceptance(const absl::Status& upstream, const std::string& model,
                              absl::Span<const std::string> image_params) {
  switch (upstream.code()) {
    case StatusCode::kInvalidArgument:
    case StatusCode::kOutOfRange:
      return Refusal(upstream.message(), image_params);
    case StatusCode::kNotFound:
      return openai::ModelNotFound(model);
    case StatusCode::kFailedPrecondition:
      return upstream;
    case StatusCode::kResourceExhausted:
      return Error("server_is_overloaded", "", "The server is overloaded. Please try again later.");
    case StatusCode::kUnavailable:
    case StatusCode::kCancelled:
    case StatusCode::kUnknown:
      return Error("no_healthy_worker", "", "No worker can take the request now.");
    case StatusCode::kUnimplemented:
      return Error("not_implemented", "", "The model's worker cannot do this.");
    default:
      return Error("upstream_error", "", "The worker failed before it answered.");
  }
}

}  // namespace

absl::Status ClientError(const absl::Status& upstream, bool accepted,
                         std::optional<absl::Duration> retry_after, const std::string& model,
                         absl::Span<const std::string> image_params) {
  CHECK(!upstream.ok());
  if (upstream.code() == StatusCode::kDeadlineExceeded) {
    return Error("deadline_exceeded", "", "The answer took longer than the server allows.");
  }
  if (accepted) {
    // The router may be what was lost: from here the two look alike.
    return Error("upstream_error", "", "The server lost the process that made this answer.");
  }
  absl::Status error = BeforeAcceptance(upstream, model, image_params);
  return retry_after.has_value() ? openai::WithRetryAfter(error, *retry_after) : error;
}

}  // namespace switchboard::gateway
