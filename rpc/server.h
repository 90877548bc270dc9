// A gRPC server with the project's arguments and the standard health service.
#ifndef SWITCHBOARD_RPC_SERVER_H_
#define SWITCHBOARD_RPC_SERVER_H_

#include <grpcpp/impl/service_type.h>
#include <grpcpp/server.h>

#include <cstddef>
#include <memory>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "rpc/address.h"

namespace switchboard::rpc {

// Memory of one server's transport: what has been received and not yet handed to a service, and
// what waits to be sent. Eight of the largest messages; beyond it gRPC reads less and drops calls.
inline constexpr size_t kMaxTransportBytes = size_t{1} << 30;

// Thread-safe, except that Stop is called by one thread. Plain text.
class Server {
 public:
  // Listens and serves from now on; health says NOT_SERVING until SetServing(true). `services`: at
  // least one, of the callback kind; they must outlive the server. Unavailable, with the reason,
  // when `listen` cannot be listened on.
  static absl::StatusOr<std::unique_ptr<Server>> Start(const Address& listen,
                                                       absl::Span<grpc::Service* const> services);
  // Stops without grace if that has not been done.
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // Where it listens; the real port when 0 was asked for.
  const Address& address() const { return address_; }

  // What grpc.health.v1.Health answers for the whole server.
  void SetServing(bool serving);

  // Takes no new calls, lets the running ones go on for `grace`, then cancels them; returns when
  // all are done.
  void Stop(absl::Duration grace);

 private:
  Server(Address address, std::unique_ptr<grpc::Server> server);

  const Address address_;
  const std::unique_ptr<grpc::Server> server_;
  bool stopped_ = false;  // of the thread that calls Stop
};

// Sends gRPC's own log lines through base/log.h: its errors as warnings, the rest at debug level.
// Call once in main, after SetUpLogging.
void RouteGrpcLog();

}  // namespace switchboard::rpc

#endif  // SWITCHBOARD_RPC_SERVER_H_
