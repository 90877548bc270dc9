// Names and addresses of hosts.
#ifndef SWITCHBOARD_BASE_HOST_H_
#define SWITCHBOARD_BASE_HOST_H_

#include <string>

#include "absl/strings/string_view.h"

namespace switchboard {

// Whether `host` (without brackets) is this host and nobody else can reach it: localhost, 127/8 or
// ::1. Other names are not resolved.
bool IsLoopback(absl::string_view host);

// `host:port`, with brackets around an IPv6 address.
std::string HostPort(absl::string_view host, int port);

}  // namespace switchboard

#endif  // SWITCHBOARD_BASE_HOST_H_
