// The two gRPC services of a worker over its engine.
#ifndef SWITCHBOARD_WORKER_SERVICE_INFERENCE_SERVICE_H_
#define SWITCHBOARD_WORKER_SERVICE_INFERENCE_SERVICE_H_

#include <memory>

#include "switchboard/v1/inference.grpc.pb.h"
#include "switchboard/v1/worker.grpc.pb.h"
#include "worker/engine/engine.h"
#include "worker/engine/stats.h"
#include "worker/service/byte_budget.h"
#include "worker/service/convert.h"
#include "worker/service/job_queue.h"
#include "worker/service/model_files.h"
#include "worker/service/token_stream.h"
#include "worker/service/watch_hub.h"

namespace switchboard::worker {

// Where images are decoded, and the memory that may be used for it.
struct ImageWork {
  JobQueue* jobs = nullptr;
  ByteBudget* budget = nullptr;
  int hidden_size = 0;  // floats per embedding
};

// What the engine is doing; requests whose images are being decoded count as waiting too.
engine::EngineStats LoadOf(const engine::Engine& engine, const JobQueue& image_jobs);

// Thread-safe. All that it is given must outlive it; it must outlive the gRPC server and the work
// of the job queue (JobQueue::Stop).
class InferenceService final : public v1::Inference::CallbackService {
 public:
  InferenceService(const Identity* identity, const ModelFiles* files, const CardOptions* options,
                   engine::Engine* engine, const ImageWork& image_work);

  grpc::ServerWriteReactor<v1::GenerateEvent>* Generate(
      grpc::CallbackServerContext* context, const v1::GenerateRequest* request) override;
  grpc::ServerUnaryReactor* ListModels(grpc::CallbackServerContext* context,
                                       const v1::ListModelsRequest* request,
                                       v1::ListModelsResponse* response) override;
  grpc::ServerUnaryReactor* GetModelCard(grpc::CallbackServerContext* context,
                                         const v1::GetModelCardRequest* request,
                                         v1::ModelCard* response) override;

 private:
  struct Preparation;

  // Whether the request is for this model and its images are as allowed.
  absl::Status Check(const v1::GenerateRequest& request) const;
  // Has the images of a checked request decoded, then hands it to the engine. ResourceExhausted or
  // Unavailable: the stream is untouched.
  absl::Status SubmitWithImages(const v1::GenerateRequest* request,
                                const std::shared_ptr<TokenStream>& stream);
  // One turn of the job: one image, or the end. True when there is more to do.
  bool PrepareNext(Preparation* work) const;
  bool Serves(absl::string_view name) const;

  const Identity* const identity_;
  const ModelFiles* const files_;
  const CardOptions* const options_;
  engine::Engine* const engine_;
  const ImageWork image_work_;
  const v1::ModelCard card_;
};

// WorkerControl.Watch. Thread-safe; the hub must outlive it.
class ControlService final : public v1::WorkerControl::CallbackService {
 public:
  explicit ControlService(WatchHub* hub) : hub_(hub) {}
  grpc::ServerWriteReactor<v1::WorkerReport>* Watch(grpc::CallbackServerContext* context,
                                                    const v1::WatchRequest* request) override;

 private:
  WatchHub* const hub_;
};

}  // namespace switchboard::worker

#endif  // SWITCHBOARD_WORKER_SERVICE_INFERENCE_SERVICE_H_
