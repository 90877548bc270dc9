#include "rpc/server.h"

#include <grpc/support/log.h>
#include <grpcpp/health_check_service_interface.h>
#include <grpcpp/resource_quota.h>
#include <grpcpp/security/server_credentials.h>
#include <grpcpp/server_builder.h>

#include <chrono>
#include <mutex>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/log.h"
#include "base/status_macros.h"
#include "rpc/callback_threads.h"
#include "rpc/channel.h"
#include "rpc/listen_check.h"

namespace switchboard::rpc {
namespace {

constexpr int kMaxStreamsPerConnection = 16384;

void SetArguments(grpc::ServerBuilder* builder) {
  grpc::ResourceQuota quota("server");
  quota.Resize(kMaxTransportBytes);
  builder->SetResourceQuota(quota);
  builder->SetMaxSendMessageSize(kMaxMessageBytes);
  builder->SetMaxReceiveMessageSize(kMaxMessageBytes);
  // Two servers on one port would share its connections by chance; the second one must fail
  // instead.
  builder->AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
  builder->AddChannelArgument(GRPC_ARG_MAX_CONCURRENT_STREAMS, kMaxStreamsPerConnection);
  builder->AddChannelArgument(GRPC_ARG_KEEPALIVE_TIME_MS, 10'000);
  builder->AddChannelArgument(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 5'000);
  // The pings of channel.cc come every 10 s, without calls too; gRPC's default takes them for
  // abuse.
  builder->AddChannelArgument(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, 5'000);
  builder->AddChannelArgument(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
  builder->AddChannelArgument(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
}

void LogFromGrpc(gpr_log_func_args* args) {
  if (args->severity == GPR_LOG_SEVERITY_ERROR) {
    LOG(WARNING) << "grpc: " << args->message;
  } else {
    LOG(DEBUG) << "grpc: " << args->message;
  }
}

}  // namespace

absl::StatusOr<std::unique_ptr<Server>> Server::Start(const Address& listen,
                                                      absl::Span<grpc::Service* const> services) {
  RETURN_IF_ERROR(CheckCanListen(listen));
  KeepCallbackThreads();
  static std::once_flag health_enabled;
  std::call_once(health_enabled, [] { grpc::EnableDefaultHealthCheckService(true); });

  grpc::ServerBuilder builder;
  SetArguments(&builder);
  for (grpc::Service* service : services) builder.RegisterService(service);
  int port = -1;
  builder.AddListeningPort(listen.ToString(), grpc::InsecureServerCredentials(), &port);
  std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
  if (server == nullptr || port < 0) {
    return absl::UnavailableError(absl::StrCat("cannot listen on ", listen.ToString()));
  }
  Address address = listen;
  if (!address.is_unix()) address.port = port;
  auto result = std::unique_ptr<Server>(new Server(std::move(address), std::move(server)));
  result->SetServing(false);
  return result;
}

Server::Server(Address address, std::unique_ptr<grpc::Server> server)
    : address_(std::move(address)), server_(std::move(server)) {}

Server::~Server() { Stop(absl::ZeroDuration()); }

void Server::SetServing(bool serving) {
  server_->GetHealthCheckService()->SetServingStatus(serving);
}

void Server::Stop(absl::Duration grace) {
  if (stopped_) return;
  stopped_ = true;
  server_->Shutdown(std::chrono::system_clock::now() + absl::ToChronoMilliseconds(grace));
  server_->Wait();
}

void RouteGrpcLog() { gpr_set_log_function(LogFromGrpc); }

}  // namespace switchboard::rpc
