// The gateway's public face: every request on the API port.
#ifndef SWITCHBOARD_GATEWAY_HANDLERS_API_HANDLER_H_
#define SWITCHBOARD_GATEWAY_HANDLERS_API_HANDLER_H_

#include <prometheus/registry.h>

#include <atomic>
#include <cstddef>
#include <memory>

#include "absl/strings/string_view.h"
#include "gateway/handlers/api_keys.h"
#include "gateway/handlers/routes.h"
#include "gateway/handlers/services.h"
#include "http/admin.h"
#include "http/message.h"

namespace switchboard::gateway {

// Thread-safe.
class ApiHandler final : public http::Handler {
 public:
  // `services` and `registry` are borrowed; they must outlive the handler and all its exchanges.
  ApiHandler(const Services* services, ApiKeys keys, const prometheus::Registry* registry);

  // For ServerOptions::before_body: a refusal that can be given without the body (key, path,
  // method, content type), or null. The only place where keys are looked at.
  std::unique_ptr<http::Exchange> Refuse(const http::Request& head) const;
  // REQUIRES: Refuse() has let the request in.
  std::unique_ptr<http::Exchange> Start(http::Request request) override;

  // For ServerOptions::body_limit.
  static size_t BodyLimit(absl::string_view path);

  // Whether there is a model that can be asked. Reads a snapshot: never held up by load.
  http::Health Health() const;
  // The same, and whether traffic may come: not after Drain().
  http::Health Readiness() const;
  // The server is stopping: from now on it is not ready.
  void Drain();

 private:
  std::unique_ptr<http::Exchange> Page(const Route& route) const;
  std::unique_ptr<http::Exchange> OneModel(const std::string& name) const;
  std::unique_ptr<http::Exchange> ModelList() const;

  const Services& services_;
  const ApiKeys keys_;
  const prometheus::Registry& registry_;
  std::atomic<bool> draining_{false};
};

}  // namespace switchboard::gateway

#endif  // SWITCHBOARD_GATEWAY_HANDLERS_API_HANDLER_H_
