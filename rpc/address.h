// Where a process listens or dials: `host:port`, `[ipv6]:port` or `unix:/path`.
#ifndef SWITCHBOARD_RPC_ADDRESS_H_
#define SWITCHBOARD_RPC_ADDRESS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace switchboard::rpc {

struct Address {
  std::string host;  // without brackets; empty for a Unix socket
  int port = 0;
  std::string path;  // of the Unix socket; empty for TCP

  bool is_unix() const { return !path.empty(); }
  // The form that was parsed, which is also what gRPC takes as a target.
  std::string ToString() const;
  // Nobody outside this host can be on the other end: a Unix socket, localhost, 127/8 or ::1.
  bool IsLocal() const;
};

// InvalidArgument names the text and what is wrong with it. A port of 0 (any free one) is for
// listening only.
absl::StatusOr<Address> ParseListenAddress(absl::string_view text);
absl::StatusOr<Address> ParseDialAddress(absl::string_view text);

// Dial addresses separated by commas, at least one, none twice.
absl::StatusOr<std::vector<Address>> ParseDialAddresses(absl::string_view text);

}  // namespace switchboard::rpc

#endif  // SWITCHBOARD_RPC_ADDRESS_H_
