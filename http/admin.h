// The listener for operators that every process has: health, readiness, metrics, version.
#ifndef SWITCHBOARD_HTTP_ADMIN_H_
#define SWITCHBOARD_HTTP_ADMIN_H_

#include <functional>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "http/message.h"
#include "http/server.h"

namespace prometheus {
class Registry;
}  // namespace prometheus

namespace switchboard::http {

// What a health page says.
struct Health {
  bool ok = true;
  std::string model;   // shown when ok; may be empty
  std::string code;    // when not ok: slug such as `no_healthy_worker`
  std::string reason;  // when not ok: one sentence
};

// 200 `{"status":"ok","model":"..."}`, or 503 with the error body and Retry-After.
std::unique_ptr<Exchange> HealthPage(const Health& health);
// All metrics of `registry` in the Prometheus text format 0.0.4.
std::unique_ptr<Exchange> MetricsPage(const prometheus::Registry& registry);
// `{"version":"x.y.z"}`.
std::unique_ptr<Exchange> VersionPage();

struct AdminOptions {
  // /health, /healthz; called from I/O threads. Null: always ok.
  std::function<Health()> health;
  // /readyz: whether traffic may come. Null: as `health`.
  std::function<Health()> ready;
  // /metrics. Borrowed; must outlive the handler. Null: 404.
  const prometheus::Registry* registry = nullptr;
  // When set, /metrics wants `Authorization: Bearer TOKEN`. The other pages are public: probes have
  // no token.
  std::string token;
};

// How an admin listener is served: its pages take no body, so strangers cannot make it hold much.
// `host` and `port` are those of --admin-listen.
ServerOptions AdminServerOptions(absl::string_view host, int port);

// GET /health, /healthz, /livez, /readyz, /metrics, /version. Thread-safe.
class AdminHandler : public Handler {
 public:
  explicit AdminHandler(AdminOptions options);
  std::unique_ptr<Exchange> Start(Request request) override;

 private:
  const AdminOptions options_;
};

// OK when `host` is a loopback address or `token` is not empty; otherwise InvalidArgument, naming
// --admin-token-file as the way out.
absl::Status CheckAdminExposure(absl::string_view host, absl::string_view token);

}  // namespace switchboard::http

#endif  // SWITCHBOARD_HTTP_ADMIN_H_
