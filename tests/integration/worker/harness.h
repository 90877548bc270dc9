// A worker's services around an engine with a fake model, served on a Unix socket.
#ifndef SWITCHBOARD_TESTS_INTEGRATION_WORKER_HARNESS_H_
#define SWITCHBOARD_TESTS_INTEGRATION_WORKER_HARNESS_H_

#include <grpcpp/grpcpp.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "rpc/server.h"
#include "switchboard/v1/inference.grpc.pb.h"
#include "switchboard/v1/worker.grpc.pb.h"
#include "tests/unit/worker/engine/fake_model.h"
#include "worker/engine/engine.h"
#include "worker/service/inference_service.h"

namespace switchboard::worker {

// Asks again and again until `condition` holds; false after 30 s.
bool Eventually(const std::function<bool()>& condition);

// A request for `max_tokens` tokens that no end token cuts short.
v1::GenerateRequest TextRequest(int max_tokens);
// The same with a screenshot of 22 x 10 patches, 55 tokens.
v1::GenerateRequest ImageRequest(int max_tokens);

// How a call ended.
struct End {
  absl::Status status;
  std::optional<absl::Duration> retry_after;
  std::vector<int32_t> tokens;
};

class Call {
 public:
  Call(v1::Inference::Stub* stub, const v1::GenerateRequest& request)
      : reader_(stub->Generate(&context_, request)) {}
  // The next event; nothing when the stream is over.
  std::optional<v1::GenerateEvent> Next();
  void Cancel() { context_.TryCancel(); }
  // Reads to the end. Once.
  End Finish();

 private:
  grpc::ClientContext context_;
  std::unique_ptr<grpc::ClientReader<v1::GenerateEvent>> reader_;
};

class Worker {
 public:
  struct Options {
    size_t max_images_waiting = 8;
    int64_t image_bytes = 1 << 30;
    std::vector<std::string> names = {"fake", "alias"};
    // Called for each load report, on the thread that makes it.
    std::function<void()> on_report = nullptr;
  };
  Worker();
  explicit Worker(Options options);
  ~Worker() { Stop(); }

  // As worker/server.cc stops.
  void Stop();

  v1::Inference::Stub* stub() { return inference_stub_.get(); }
  v1::WorkerControl::Stub* control() { return control_stub_.get(); }
  engine::Engine& engine() { return engine_; }
  JobQueue& jobs() { return jobs_; }
  ByteBudget& budget() { return budget_; }
  WatchHub& hub() { return *hub_; }

  v1::WorkerReport Report();

 private:
  const Options options_;
  Identity identity_;
  ModelFiles files_;
  CardOptions card_;
  engine::FakeModel model_;
  const engine::EngineOptions engine_options_;
  std::unique_ptr<WatchHub> hub_;
  ByteBudget budget_;
  engine::Engine engine_;
  JobQueue jobs_;
  std::unique_ptr<InferenceService> inference_;
  std::unique_ptr<ControlService> control_service_;
  std::unique_ptr<rpc::Server> server_;
  std::unique_ptr<v1::Inference::Stub> inference_stub_;
  std::unique_ptr<v1::WorkerControl::Stub> control_stub_;
};

}  // namespace switchboard::worker

#endif  // SWITCHBOARD_TESTS_INTEGRATION_WORKER_HARNESS_H_
