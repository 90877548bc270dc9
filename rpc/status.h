// Errors across a hop: the same code and message on both sides, and when to come back.
#ifndef SWITCHBOARD_RPC_STATUS_H_
#define SWITCHBOARD_RPC_STATUS_H_

#include <grpcpp/client_context.h>
#include <grpcpp/server_context.h>
#include <grpcpp/support/status.h>

#include <optional>

#include "absl/status/status.h"
#include "absl/time/time.h"

namespace switchboard::rpc {

// The codes are the same numbers. Messages beyond 2,000 bytes are cut (they travel as a header).
grpc::Status ToGrpc(const absl::Status& status);
absl::Status ToAbsl(const grpc::Status& status);

// Trailing metadata `retry-after-ms` of a refused call: a whole number of milliseconds.
// REQUIRES: the call has not been finished yet.
void SetRetryAfter(absl::Duration retry_after, grpc::ServerContextBase* context);
// Nothing when the server sent none, or no whole number from 0 to one day.
// REQUIRES: the call is done (its status has been received).
std::optional<absl::Duration> GetRetryAfter(const grpc::ClientContext& context);

}  // namespace switchboard::rpc

#endif  // SWITCHBOARD_RPC_STATUS_H_
