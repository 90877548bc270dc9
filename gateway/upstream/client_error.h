// What a client is told when a router or worker refuses or fails.
#ifndef SWITCHBOARD_GATEWAY_UPSTREAM_CLIENT_ERROR_H_
#define SWITCHBOARD_GATEWAY_UPSTREAM_CLIENT_ERROR_H_

#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "absl/types/span.h"

namespace switchboard::gateway {

// The API error for the status of a Generate call. `accepted`: the generation had begun, so
// whatever happened is no refusal. Messages about the request are passed on; those about servers,
// which may name hosts, are not. FailedPrecondition of a call that was not accepted stays what it
// is. `image_params` says where the images of the request stand: a message "media[k]: ..." is about
// the k-th. REQUIRES: `upstream` is not OK.
absl::Status ClientError(const absl::Status& upstream, bool accepted,
                         std::optional<absl::Duration> retry_after, const std::string& model,
                         absl::Span<const std::string> image_params);

}  // namespace switchboard::gateway

#endif  // SWITCHBOARD_GATEWAY_UPSTREAM_CLIENT_ERROR_H_
