#include "router/server.h"

#include <utility>

#include "absl/strings/str_join.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/status_macros.h"
#include "http/ready_file.h"

namespace switchboard::router {
namespace {

std::vector<std::string> Texts(const std::vector<rpc::Address>& addresses) {
  std::vector<std::string> texts;
  for (const rpc::Address& address : addresses) texts.push_back(address.ToString());
  return texts;
}

// One warning per start: the hops are plain text.
void WarnIfExposed(const ProcessOptions& options) {
  std::vector<std::string> exposed;
  if (!options.listen.IsLocal()) exposed.push_back(options.listen.ToString());
  for (const rpc::Address& worker : options.workers) {
    if (!worker.IsLocal()) exposed.push_back(worker.ToString());
  }
  if (exposed.empty()) return;
  LOG(WARNING) << "unencrypted gRPC beyond this host: " << absl::StrJoin(exposed, ", ");
}

}  // namespace

RouterServer::RouterServer(const ProcessOptions& options)
    : options_(options),
      probe_(&registry_, Texts(options.workers)),
      router_({options.listen, options.workers, options.core}, &SystemClock(), &probe_) {}

absl::StatusOr<std::unique_ptr<RouterServer>> RouterServer::Start(const ProcessOptions& options) {
  WarnIfExposed(options);
  std::unique_ptr<RouterServer> server(new RouterServer(options));
  RETURN_IF_ERROR(Annotate(server->router_.Start(), "--listen"));
  RETURN_IF_ERROR(server->StartAdmin());
  RETURN_IF_ERROR(server->Announce());
  return server;
}

http::Health RouterServer::Health() {
  if (router_.Ready()) return {};
  return {false, "", "no_healthy_worker", "No worker is connected, or the router is stopping."};
}

absl::Status RouterServer::StartAdmin() {
  if (!options_.admin.address.has_value()) return absl::OkStatus();
  http::AdminOptions pages;
  // Liveness does not depend on workers; readiness does.
  pages.ready = [this] { return Health(); };
  pages.registry = &registry_;
  pages.token = options_.admin.token;
  const rpc::Address& listen = *options_.admin.address;
  ASSIGN_OR_RETURN(admin_, http::AdminServer::Start(listen.host, listen.port, std::move(pages)));
  return absl::OkStatus();
}

absl::Status RouterServer::Announce() const {
  const rpc::Address& address = router_.address();
  const int admin_port = admin_ == nullptr ? 0 : admin_->port();
  LOG(INFO) << "router ready on " << address.ToString() << ", workers "
            << absl::StrJoin(Texts(options_.workers), ", ");
  if (options_.ready_file.empty()) return absl::OkStatus();
  return http::WriteReadyFile(options_.ready_file, {address.is_unix() ? address.path : address.host,
                                                    address.port, admin_port});
}

void RouterServer::Stop() {
  router_.Stop(options_.drain_timeout);
  if (admin_ != nullptr) admin_->Stop();
}

}  // namespace switchboard::router
