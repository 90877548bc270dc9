#include "router/service/inference_service.h"

#include <utility>

#include "router/service/client_stream.h"
#include "router/service/convert.h"
#include "rpc/status.h"

namespace switchboard::router {
namespace {

// A call that ends before it has begun.
class RefusedStream final : public grpc::ServerWriteReactor<v1::GenerateEvent> {
 public:
  explicit RefusedStream(const absl::Status& status) { Finish(rpc::ToGrpc(status)); }
  void OnDone() override { delete this; }
};

}  // namespace

grpc::ServerWriteReactor<v1::GenerateEvent>* InferenceService::Generate(
    grpc::CallbackServerContext* context, const v1::GenerateRequest* request) {
  absl::StatusOr<RequestInfo> info = ToRequestInfo(*request);
  if (!info.ok()) return new RefusedStream(info.status());
  // gRPC keeps its message until the call is over and never looks at it again: taking the content
  // saves a copy of up to 128 MiB.
  v1::GenerateRequest taken;
  taken.Swap(const_cast<v1::GenerateRequest*>(request));
  auto* stream = new ClientStream(context);
  shell_->Open(stream, std::move(taken), *std::move(info));
  return stream;
}

grpc::ServerUnaryReactor* InferenceService::ListModels(grpc::CallbackServerContext* context,
                                                       const v1::ListModelsRequest*,
                                                       v1::ListModelsResponse* response) {
  for (const ModelName& model : shell_->Models()) ToProto(model, response->add_models());
  auto* reactor = context->DefaultReactor();
  reactor->Finish(grpc::Status::OK);
  return reactor;
}

grpc::ServerUnaryReactor* InferenceService::GetModelCard(grpc::CallbackServerContext* context,
                                                         const v1::GetModelCardRequest* request,
                                                         v1::ModelCard* response) {
  auto* reactor = context->DefaultReactor();
  const auto source = shell_->CardSource(request->name());
  if (!source.ok()) {
    reactor->Finish(rpc::ToGrpc(source.status()));
    return reactor;
  }
  cards_.Get(source->second, stubs_[static_cast<size_t>(source->first)],
             [reactor, response](absl::StatusOr<CardCache::Card> card) {
               if (card.ok()) *response = **card;
               reactor->Finish(rpc::ToGrpc(card.status()));
             });
  return reactor;
}

}  // namespace switchboard::router
