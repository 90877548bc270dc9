// A whole router: links to the workers, the core in its shell, and the server.
#ifndef SWITCHBOARD_ROUTER_SERVICE_ROUTER_H_
#define SWITCHBOARD_ROUTER_SERVICE_ROUTER_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "base/clock.h"
#include "router/core/core.h"
#include "router/probe.h"
#include "router/service/inference_service.h"
#include "router/service/shell.h"
#include "router/service/worker_link.h"
#include "rpc/address.h"
#include "rpc/server.h"

namespace switchboard::router {

struct RouterOptions {
  rpc::Address listen;
  std::vector<rpc::Address> workers;  // at least one, none twice
  CoreOptions core;                   // `incarnation` is drawn by the router
};

// Start, Stop and the destructor are called from one thread; the rest is thread-safe.
class Router {
 public:
  // `clock` and `probe` must outlive the router.
  Router(RouterOptions options, const Clock* clock, Probe* probe);
  // Stops without grace.
  ~Router();
  Router(const Router&) = delete;
  Router& operator=(const Router&) = delete;

  // Listens, and reaches out to the workers without waiting for them. Unavailable, with the reason,
  // when the address cannot be listened on.
  absl::Status Start();
  // REQUIRES: started.
  const rpc::Address& address() const { return server_->address(); }
  // Whether a worker is there and the router is not stopping.
  bool Ready();
  // Workers that report, and those of them that take requests.
  int ConnectedWorkers();
  int AvailableWorkers();

  // Health says NOT_SERVING, newcomers are refused, running requests may end within `grace`, the
  // others are ended with Unavailable.
  void Stop(absl::Duration grace);

 private:
  std::vector<std::string> WorkerNames() const;
  std::vector<v1::Inference::Stub*> Stubs() const;

  const RouterOptions options_;
  Probe* const probe_;
  const std::vector<std::unique_ptr<WorkerLink>> links_;
  Shell shell_;
  InferenceService service_;
  std::unique_ptr<rpc::Server> server_;
  bool stopped_ = false;
};

}  // namespace switchboard::router

#endif  // SWITCHBOARD_ROUTER_SERVICE_ROUTER_H_
