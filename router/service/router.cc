#include "router/service/router.h"

#include <utility>

#include "base/check.h"
#include "base/log.h"
#include "base/random_id.h"
#include "base/status_macros.h"

namespace switchboard::router {
namespace {

// For the ends of calls to reach their clients.
constexpr absl::Duration kLastWords = absl::Seconds(1);
// For cancelled calls to end: no network is involved, only threads that want to run.
constexpr absl::Duration kCancelLimit = absl::Seconds(60);

RouterOptions WithIncarnation(RouterOptions options) {
  options.core.incarnation = RandomId();
  return options;
}

std::vector<std::unique_ptr<WorkerLink>> MakeLinks(const RouterOptions& options) {
  std::vector<std::unique_ptr<WorkerLink>> links;
  for (const rpc::Address& worker : options.workers) {
    links.push_back(std::make_unique<WorkerLink>(worker, options.core.incarnation));
  }
  return links;
}

}  // namespace

Router::Router(RouterOptions options, const Clock* clock, Probe* probe)
    : options_(WithIncarnation(std::move(options))),
      probe_(probe),
      links_(MakeLinks(options_)),
      shell_(options_.core, WorkerNames(), Stubs(), clock, probe),
      service_(&shell_, Stubs()) {}

Router::~Router() { Stop(absl::ZeroDuration()); }

std::vector<std::string> Router::WorkerNames() const {
  std::vector<std::string> names;
  for (const rpc::Address& worker : options_.workers) names.push_back(worker.ToString());
  return names;
}

std::vector<v1::Inference::Stub*> Router::Stubs() const {
  std::vector<v1::Inference::Stub*> stubs;
  for (const auto& link : links_) stubs.push_back(link->inference());
  return stubs;
}

absl::Status Router::Start() {
  ASSIGN_OR_RETURN(server_, rpc::Server::Start(options_.listen, {&service_}));
  for (size_t i = 0; i < links_.size(); ++i) {
    const auto worker = static_cast<WorkerIndex>(i);
    links_[i]->Start({[this, worker](WorkerReport report) {
                        probe_->SetWorkerUp(worker, true);
                        shell_.Reported(worker, std::move(report));
                      },
                      [this, worker] {
                        probe_->SetWorkerUp(worker, false);
                        shell_.WorkerLost(worker);
                      }});
  }
  server_->SetServing(true);
  return absl::OkStatus();
}

bool Router::Ready() { return shell_.Ready(); }

int Router::ConnectedWorkers() { return shell_.Counts().workers; }

int Router::AvailableWorkers() { return shell_.Counts().available; }

void Router::Stop(absl::Duration grace) {
  if (std::exchange(stopped_, true)) return;
  if (server_ != nullptr) {
    server_->SetServing(false);
    shell_.Stop();
    if (!shell_.WaitForRest(grace)) {
      LOG(WARNING) << "requests still running after " << absl::FormatDuration(grace)
                   << " are ended";
    }
    shell_.Abandon();
    service_.Stop();
    // A client that reads nothing is cut off.
    server_->Stop(kLastWords);
    // A cancelled attempt ends at once, whatever its worker does: one that does not is a bug, and
    // nothing that it uses may be destroyed.
    CHECK(shell_.WaitForRest(kCancelLimit));
  }
  for (const auto& link : links_) link->Stop();
}

}  // namespace switchboard::router
