#include "http/admin_server.h"

#include <utility>

#include "absl/strings/match.h"
#include "base/log.h"
#include "base/status_macros.h"

namespace switchboard::http {

AdminServer::AdminServer(absl::string_view host, int port, AdminOptions options)
    : pages_(std::move(options)), server_(AdminServerOptions(host, port), &pages_) {}

absl::StatusOr<std::unique_ptr<AdminServer>> AdminServer::Start(absl::string_view host, int port,
                                                                AdminOptions options) {
  RETURN_IF_ERROR(CheckAdminExposure(host, options.token));
  std::unique_ptr<AdminServer> admin(new AdminServer(host, port, std::move(options)));
  RETURN_IF_ERROR(admin->server_.Start());
  const bool is_ipv6 = absl::StrContains(host, ":");
  LOG(INFO) << "health and metrics on http://" << (is_ipv6 ? "[" : "") << host
            << (is_ipv6 ? "]" : "") << ":" << admin->port();
  return admin;
}

void AdminServer::Stop() { server_.Stop(absl::ZeroDuration()); }

}  // namespace switchboard::http
