// A gateway with a double for its router, and a client in front.
#ifndef SWITCHBOARD_TESTS_INTEGRATION_GATEWAY_HARNESS_H_
#define SWITCHBOARD_TESTS_INTEGRATION_GATEWAY_HARNESS_H_

#include <functional>
#include <memory>
#include <string>

#include "absl/strings/string_view.h"
#include "gateway/server.h"
#include "tests/double/double_worker.h"
#include "tests/unit/http/raw_client.h"

namespace switchboard::gateway {

// Asks again and again until `condition` holds; false after 30 s.
bool Eventually(const std::function<bool()>& condition);

// An address below a folder of its own, so that a worker can come back to it. The
// folder goes when the test process ends. Not thread-safe.
rpc::Address NewSocketAddress();

// Never null: a double that cannot start ends the test.
std::unique_ptr<doubles::DoubleWorker> StartDouble(doubles::DoubleOptions options = {});

// Options for a gateway on any free port that looks for models every 20 ms.
GatewayOptions OptionsFor(std::vector<rpc::Address> routers);

class Gateway {
 public:
  explicit Gateway(const GatewayOptions& options);

  int port() const { return server_->port(); }
  void Stop() { server_->Stop(); }

  // A chat request whose only message is `text`, with more `fields` (",\"a\":1").
  static std::string Chat(absl::string_view text, absl::string_view fields);
  // One request on a connection of its own, read to its end.
  http::RawReply Ask(const std::string& request) const;
  http::RawReply AskChat(absl::string_view text, absl::string_view fields) const;
  http::RawReply Get(const std::string& path) const;

 private:
  std::unique_ptr<GatewayServer> server_;
};

}  // namespace switchboard::gateway

#endif  // SWITCHBOARD_TESTS_INTEGRATION_GATEWAY_HARNESS_H_
