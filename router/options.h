// Every setting of a router, with its default; filled once in main.
#ifndef SWITCHBOARD_ROUTER_OPTIONS_H_
#define SWITCHBOARD_ROUTER_OPTIONS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/log.h"
#include "router/core/core_options.h"
#include "rpc/address.h"
#include "rpc/admin_listen.h"

namespace switchboard::router {

struct ProcessOptions {
  rpc::Address listen;
  std::vector<rpc::Address> workers;  // never empty, none twice
  rpc::AdminListen admin;
  std::string ready_file;  // empty: none
  LogFormat log_format = LogFormat::kText;
  absl::Duration drain_timeout = absl::Seconds(90);
  CoreOptions core;
};

// The options as the flags of this process say; InvalidArgument names the first bad one.
absl::StatusOr<ProcessOptions> OptionsFromFlags();

}  // namespace switchboard::router

#endif  // SWITCHBOARD_ROUTER_OPTIONS_H_
