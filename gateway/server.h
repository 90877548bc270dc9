// The whole gateway, wired together.
#ifndef SWITCHBOARD_GATEWAY_SERVER_H_
#define SWITCHBOARD_GATEWAY_SERVER_H_

#include <prometheus/registry.h>

#include <memory>

#include "absl/status/statusor.h"
#include "gateway/handlers/api_handler.h"
#include "gateway/handlers/services.h"
#include "gateway/handlers/task_pool.h"
#include "gateway/models/directory.h"
#include "gateway/options.h"
#include "gateway/probe.h"
#include "gateway/upstream/router_client.h"
#include "http/admin_server.h"
#include "http/server.h"

namespace switchboard::gateway {

// Start and Stop are called by one thread.
class GatewayServer {
 public:
  // Serves when it returns. The error says in one line what the environment lacks: a port that is
  // free, a file that can be written.
  static absl::StatusOr<std::unique_ptr<GatewayServer>> Start(const GatewayOptions& options);
  // Stops without grace if that has not been done.
  ~GatewayServer();
  GatewayServer(const GatewayServer&) = delete;
  GatewayServer& operator=(const GatewayServer&) = delete;

  int port() const { return api_server_->port(); }

  // Refuses newcomers and lets running answers finish for options.drain_timeout.
  void Stop();

 private:
  explicit GatewayServer(const GatewayOptions& options);

  // Names members, also those that are constructed later.
  Services MakeServices();
  absl::Status Serve();
  absl::Status ServeAdmin();

  const GatewayOptions options_;
  // In the order of use: what is below may use what is above, and goes first.
  prometheus::Registry registry_;
  Probe probe_;
  RouterClient routers_;
  Directory directory_;
  const Services services_;
  TaskPool pool_;
  ApiHandler api_;
  std::unique_ptr<http::AdminServer> admin_;  // nullptr: none is wanted
  std::unique_ptr<http::Server> api_server_;
};

}  // namespace switchboard::gateway

#endif  // SWITCHBOARD_GATEWAY_SERVER_H_
