// A process's admin listener: its pages and the server they are served by.
#ifndef SWITCHBOARD_HTTP_ADMIN_SERVER_H_
#define SWITCHBOARD_HTTP_ADMIN_SERVER_H_

#include <memory>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "http/admin.h"
#include "http/server.h"

namespace switchboard::http {

// Used from one thread.
class AdminServer {
 public:
  // Serves when it returns, and has logged where. `host` and `port` are those of --admin-listen.
  // InvalidArgument: see CheckAdminExposure; else as Server::Start.
  static absl::StatusOr<std::unique_ptr<AdminServer>> Start(absl::string_view host, int port,
                                                            AdminOptions options);
  // Stops if that has not been done.
  ~AdminServer() { Stop(); }
  AdminServer(const AdminServer&) = delete;
  AdminServer& operator=(const AdminServer&) = delete;

  // The port listened on.
  int port() const { return server_.port(); }

  // Without grace. Later calls do nothing.
  void Stop();

 private:
  AdminServer(absl::string_view host, int port, AdminOptions options);

  AdminHandler pages_;
  Server server_;
};

}  // namespace switchboard::http

#endif  // SWITCHBOARD_HTTP_ADMIN_SERVER_H_
