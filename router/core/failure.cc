#include "router/core/failure.h"

namespace switchboard::router {

Failure Classify(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kResourceExhausted:
      return Failure::kRefused;
    case absl::StatusCode::kUnavailable:
    // A dying server resets its streams with these two, depending on how far each one was.
    case absl::StatusCode::kCancelled:
    case absl::StatusCode::kUnknown:
      return Failure::kWorkerLost;
    default:
      return Failure::kOfRequest;
  }
}

}  // namespace switchboard::router
