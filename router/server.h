// The router as a process: what main starts and stops.
#ifndef SWITCHBOARD_ROUTER_SERVER_H_
#define SWITCHBOARD_ROUTER_SERVER_H_

#include <prometheus/registry.h>

#include <memory>

#include "absl/status/statusor.h"
#include "http/admin_server.h"
#include "router/options.h"
#include "router/probe.h"
#include "router/service/router.h"

namespace switchboard::router {

// Used from one thread.
class RouterServer {
 public:
  // Serves, with its admin listener and its ready file. The error is one line for the user.
  static absl::StatusOr<std::unique_ptr<RouterServer>> Start(const ProcessOptions& options);
  // Running answers may end within the options' drain_timeout.
  void Stop();

 private:
  explicit RouterServer(const ProcessOptions& options);

  absl::Status StartAdmin();
  absl::Status Announce() const;
  http::Health Health();

  const ProcessOptions options_;
  prometheus::Registry registry_;
  Probe probe_;
  Router router_;
  std::unique_ptr<http::AdminServer> admin_;  // null without admin listener
};

}  // namespace switchboard::router

#endif  // SWITCHBOARD_ROUTER_SERVER_H_
