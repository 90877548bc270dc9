// Says why an address cannot be listened on, in one line; gRPC itself only says that it could not.
#ifndef SWITCHBOARD_RPC_LISTEN_CHECK_H_
#define SWITCHBOARD_RPC_LISTEN_CHECK_H_

#include "absl/status/status.h"
#include "rpc/address.h"

namespace switchboard::rpc {

// Unavailable when another process listens there, otherwise the system's reason (no such host,
// address of another machine, folder missing). A Unix socket file that nobody serves is left for
// the server to replace. What is free now may be taken a moment later: the server's own failure
// still counts.
absl::Status CheckCanListen(const Address& address);

}  // namespace switchboard::rpc

#endif  // SWITCHBOARD_RPC_LISTEN_CHECK_H_
