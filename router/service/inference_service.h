// The service that gateways call.
#ifndef SWITCHBOARD_ROUTER_SERVICE_INFERENCE_SERVICE_H_
#define SWITCHBOARD_ROUTER_SERVICE_INFERENCE_SERVICE_H_

#include <vector>

#include "router/service/card_cache.h"
#include "router/service/shell.h"
#include "switchboard/v1/inference.grpc.pb.h"

namespace switchboard::router {

// Thread-safe.
class InferenceService final : public v1::Inference::CallbackService {
 public:
  // `shell` and the stubs must outlive the service; stubs: one per worker.
  InferenceService(Shell* shell, std::vector<v1::Inference::Stub*> stubs)
      : shell_(shell), stubs_(std::move(stubs)) {}

  grpc::ServerWriteReactor<v1::GenerateEvent>* Generate(
      grpc::CallbackServerContext* context, const v1::GenerateRequest* request) override;
  grpc::ServerUnaryReactor* ListModels(grpc::CallbackServerContext* context,
                                       const v1::ListModelsRequest* request,
                                       v1::ListModelsResponse* response) override;
  grpc::ServerUnaryReactor* GetModelCard(grpc::CallbackServerContext* context,
                                         const v1::GetModelCardRequest* request,
                                         v1::ModelCard* response) override;

  // Lets go of what waits for a worker's card. Generate is the shell's to end.
  void Stop() { cards_.Stop(); }

 private:
  Shell* const shell_;
  const std::vector<v1::Inference::Stub*> stubs_;
  CardCache cards_;
};

}  // namespace switchboard::router

#endif  // SWITCHBOARD_ROUTER_SERVICE_INFERENCE_SERVICE_H_
