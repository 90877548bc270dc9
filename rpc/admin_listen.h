// The flags --admin-listen and --admin-token-file, which every process has.
#ifndef SWITCHBOARD_RPC_ADMIN_LISTEN_H_
#define SWITCHBOARD_RPC_ADMIN_LISTEN_H_

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "rpc/address.h"

namespace switchboard::rpc {

struct AdminListen {
  std::optional<Address> address;  // of TCP; absent: no admin listener
  std::string token;               // empty: none is asked for
};

// `listen`: host:port, or empty for none. `token_file`: a file with the token, space around it
// ignored, or empty for none. The error names the flag.
absl::StatusOr<AdminListen> ReadAdminListen(absl::string_view listen,
                                            const std::string& token_file);

}  // namespace switchboard::rpc

#endif  // SWITCHBOARD_RPC_ADMIN_LISTEN_H_
