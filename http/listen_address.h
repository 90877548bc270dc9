// Where a process listens, as people write it on a command line.
#ifndef SWITCHBOARD_HTTP_LISTEN_ADDRESS_H_
#define SWITCHBOARD_HTTP_LISTEN_ADDRESS_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace switchboard::http {

struct ListenAddress {
  std::string host;  // without brackets
  int port = 0;      // 0..65535
};

// `127.0.0.1:8000`, `localhost:0`, `[::1]:9000`. InvalidArgument quotes the text and shows the
// form.
absl::StatusOr<ListenAddress> ParseListenAddress(absl::string_view text);

// Whether only this machine can reach a listener on `host`: localhost, 127.0.0.0/8, ::1.
bool IsLoopback(absl::string_view host);

}  // namespace switchboard::http

#endif  // SWITCHBOARD_HTTP_LISTEN_ADDRESS_H_
