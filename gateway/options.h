// Every setting of a gateway, with its default; filled once in main.
#ifndef SWITCHBOARD_GATEWAY_OPTIONS_H_
#define SWITCHBOARD_GATEWAY_OPTIONS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/log.h"
#include "gateway/handlers/api_keys.h"
#include "http/cors.h"
#include "rpc/address.h"
#include "rpc/admin_listen.h"

namespace switchboard::gateway {

struct GatewayOptions {
  std::string host = "127.0.0.1";
  int port = 8000;  // 0: any free one
  std::string ready_file;
  std::vector<rpc::Address> routers;  // never empty
  rpc::AdminListen admin;
  ApiKeys api_keys;
  http::CorsPolicy cors;
  LogFormat log_format = LogFormat::kText;
  int threads = 0;  // for HTTP, and as many for preparing requests; 0: by the number of cores
  absl::Duration request_timeout = absl::Seconds(600);
  absl::Duration look_interval = absl::Seconds(1);   // between looks at the models; has no flag
  absl::Duration drain_timeout = absl::Seconds(90);  // for running answers after SIGTERM
};

// From the flags of the process. The error is one line that names the flag.
absl::StatusOr<GatewayOptions> OptionsFromFlags();

}  // namespace switchboard::gateway

#endif  // SWITCHBOARD_GATEWAY_OPTIONS_H_
