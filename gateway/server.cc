#include "gateway/server.h"

#include <algorithm>
#include <random>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/status_macros.h"
#include "http/ready_file.h"

namespace switchboard::gateway {
namespace {

constexpr size_t kMaxWaitingTasks = 1024;
constexpr int kMaxDefaultThreads = 8;

int ThreadsFor(const GatewayOptions& options) {
  if (options.threads > 0) return options.threads;
  // Half of the cores each for HTTP and for preparing requests.
  const int cores = static_cast<int>(std::thread::hardware_concurrency());
  return std::clamp(cores / 2, 1, kMaxDefaultThreads);
}

// With a single thread, one large request would hold up all others.
int PoolThreadsFor(const GatewayOptions& options) { return std::max(2, ThreadsFor(options)); }

uint64_t DrawSeed() {
  std::random_device device;
  return (uint64_t{device()} << 32) | device();
}

}  // namespace

GatewayServer::GatewayServer(const GatewayOptions& options)
    : options_(options),
      probe_(&registry_),
      routers_(options_.routers, &SystemClock()),
      directory_(&routers_, options_.look_interval),
      services_(MakeServices()),
      pool_(PoolThreadsFor(options_), kMaxWaitingTasks),
      api_(&services_, options_.api_keys, &registry_) {}

GatewayServer::~GatewayServer() {
  // What waits for a look goes to the pool, which ends before the directory.
  directory_.Stop();
}

Services GatewayServer::MakeServices() {
  Services services;
  services.directory = &directory_;
  services.generator = &routers_;
  services.pool = &pool_;
  services.probe = &probe_;
  services.clock = &SystemClock();
  services.draw_seed = DrawSeed;
  services.request_timeout = options_.request_timeout;
  return services;
}

absl::StatusOr<std::unique_ptr<GatewayServer>> GatewayServer::Start(const GatewayOptions& options) {
  std::unique_ptr<GatewayServer> server(new GatewayServer(options));
  RETURN_IF_ERROR(server->Serve());
  return server;
}

absl::Status GatewayServer::Serve() {
  for (const rpc::Address& router : options_.routers) {
    if (!router.IsLocal()) {
      LOG(WARNING) << "the way to router " << router.ToString()
                   << " is plain text: keep it on a private network";
    }
  }
  http::ServerOptions http_options;
  http_options.host = options_.host;
  http_options.port = options_.port;
  http_options.threads = ThreadsFor(options_);
  http_options.cors = options_.cors;
  http_options.body_limit = ApiHandler::BodyLimit;
  http_options.before_body = [this](const http::Request& head) { return api_.Refuse(head); };
  api_server_ = std::make_unique<http::Server>(std::move(http_options), &api_);
  // First the port: whoever cannot have it should not have asked the routers.
  RETURN_IF_ERROR(api_server_->Start());
  directory_.Start();
  RETURN_IF_ERROR(ServeAdmin());
  http::ReadyInfo ready;
  ready.host = options_.host;
  ready.port = api_server_->port();
  if (admin_ != nullptr) ready.admin_port = admin_->port();
  if (!options_.ready_file.empty()) {
    RETURN_IF_ERROR(http::WriteReadyFile(options_.ready_file, ready));
  }
  LOG(INFO) << "serving the OpenAI API on " << options_.host << ":" << ready.port;
  return absl::OkStatus();
}

absl::Status GatewayServer::ServeAdmin() {
  if (!options_.admin.address.has_value()) return absl::OkStatus();
  http::AdminOptions pages;
  pages.health = [this] { return api_.Health(); };
  pages.ready = [this] { return api_.Readiness(); };
  pages.registry = &registry_;
  pages.token = options_.admin.token;
  const rpc::Address& listen = *options_.admin.address;
  ASSIGN_OR_RETURN(admin_, http::AdminServer::Start(listen.host, listen.port, std::move(pages)));
  return absl::OkStatus();
}

void GatewayServer::Stop() {
  api_.Drain();
  api_server_->Stop(options_.drain_timeout);
  directory_.Stop();
  if (admin_ != nullptr) admin_->Stop();
}

}  // namespace switchboard::gateway
