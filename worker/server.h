// A whole worker: loads the model, starts the engine and serves.
#ifndef SWITCHBOARD_WORKER_SERVER_H_
#define SWITCHBOARD_WORKER_SERVER_H_

#include <atomic>
#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"
#include "http/admin_server.h"
#include "rpc/address.h"
#include "rpc/server.h"
#include "worker/engine/engine.h"
#include "worker/model/model_factory.h"
#include "worker/options.h"
#include "worker/probe.h"
#include "worker/service/byte_budget.h"
#include "worker/service/inference_service.h"
#include "worker/service/job_queue.h"
#include "worker/service/watch_hub.h"

namespace switchboard::worker {

// Used from one thread.
class WorkerServer {
 public:
  // Prints the memory plan and the load's progress, and serves when it returns. The error is one
  // line for the user.
  static absl::StatusOr<std::unique_ptr<WorkerServer>> Start(const WorkerOptions& options);
  ~WorkerServer();
  WorkerServer(const WorkerServer&) = delete;
  WorkerServer& operator=(const WorkerServer&) = delete;

  // Refuses newcomers, lets running answers finish for up to the drain timeout, ends the rest with
  // an error. Once.
  void Stop();

 private:
  explicit WorkerServer(const WorkerOptions& options) : options_(options) {}

  absl::Status CheckAddresses();
  absl::Status ReadFiles();
  absl::Status Load();
  void Introduce();
  absl::Status StartEngine();
  absl::Status Serve();
  absl::Status ServeAdmin();

  const WorkerOptions options_;

  // Set up by Start in this order, torn down in the reverse one, after Stop: by then no gRPC call,
  // no job and no engine thread is left to use them.
  rpc::Address listen_;
  ModelFiles files_;
  int64_t image_bytes_ = 0;  // of image_budget_
  model::LoadedModel loaded_;
  Identity identity_;
  CardOptions card_;
  engine::EngineOptions engine_options_;
  std::atomic<bool> draining_ = false;
  std::unique_ptr<ByteBudget> image_budget_;
  std::unique_ptr<WatchHub> hub_;
  std::unique_ptr<WorkerProbe> probe_;
  std::unique_ptr<engine::Engine> engine_;
  std::unique_ptr<JobQueue> image_jobs_;
  std::unique_ptr<InferenceService> inference_;
  std::unique_ptr<ControlService> control_;
  std::unique_ptr<http::AdminServer> admin_;  // null without admin listener
  std::unique_ptr<rpc::Server> server_;
};

}  // namespace switchboard::worker

#endif  // SWITCHBOARD_WORKER_SERVER_H_
