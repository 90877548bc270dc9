#include "worker/service/inference_service.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/log.h"
#include "base/status_macros.h"
#include "rpc/status.h"
#include "worker/service/token_stream.h"

namespace switchboard::worker {

InferenceService::InferenceService(const Identity* identity, const ModelFiles* files,
                                   const CardOptions* options, engine::Engine* engine,
                                   JobQueue* image_jobs)
    : identity_(identity),
      files_(files),
      options_(options),
      engine_(engine),
      image_jobs_(image_jobs),
      card_(ToCard(*identity, *files, *options)) {}

bool InferenceService::Serves(absl::string_view name) const {
  const std::vector<std::string>& names = identity_->model_names;
  return std::find(names.begin(), names.end(), name) != names.end();
}

absl::Status InferenceService::Check(const v1::GenerateRequest& request) const {
  if (!Serves(request.model())) {
    return absl::NotFoundError(absl::StrCat("the model '", request.model(), "' does not exist"));
  }
  if (!request.fingerprint().empty() && request.fingerprint() != identity_->fingerprint) {
    return absl::FailedPreconditionError(absl::StrCat("the prompt was made for fingerprint ",
                                                      request.fingerprint(), ", this is ",
                                                      identity_->fingerprint));
  }
  return CheckPlacements(request, *files_, options_->max_images);
}

grpc::ServerWriteReactor<v1::GenerateEvent>* InferenceService::Generate(
    grpc::CallbackServerContext* context, const v1::GenerateRequest* request) {
  const std::shared_ptr<TokenStream> stream = TokenStream::Start(identity_, engine_, context);
  if (absl::Status status = Check(*request); !status.ok()) {
    stream->Refuse(status);
  } else if (request->media().empty()) {
    stream->Submit(ToEngineRequest(*request));
  } else {
    // The request message lives as long as the call, which `stream` may not survive: the job owns a
    // copy.
    auto job = [this, stream, copy = std::make_shared<const v1::GenerateRequest>(*request)] {
      engine::Request prepared = ToEngineRequest(*copy);
      for (int i = 0; i < copy->media_size(); ++i) {
        absl::StatusOr<engine::PreparedImage> image = PrepareImage(copy->media(i), *files_->images);
        if (!image.ok()) {
          return stream->Refuse(Annotate(image.status(), absl::StrCat("media[", i, "]")));
        }
        prepared.images.push_back(*std::move(image));
      }
      stream->Submit(std::move(prepared));
    };
    const absl::Status queued = image_jobs_->Add(std::move(job));
    if (!queued.ok()) stream->Refuse(queued);
  }
  return stream.get();
}

grpc::ServerUnaryReactor* InferenceService::ListModels(grpc::CallbackServerContext* context,
                                                       const v1::ListModelsRequest* request,
                                                       v1::ListModelsResponse* response) {
  AddModelNames(*identity_, options_->max_model_len, response->mutable_models());
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  reactor->Finish(grpc::Status::OK);
  return reactor;
}

grpc::ServerUnaryReactor* InferenceService::GetModelCard(grpc::CallbackServerContext* context,
                                                         const v1::GetModelCardRequest* request,
                                                         v1::ModelCard* response) {
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  if (Serves(request->name())) {
    *response = card_;
    reactor->Finish(grpc::Status::OK);
  } else {
    reactor->Finish(rpc::ToGrpc(
        absl::NotFoundError(absl::StrCat("the model '", request->name(), "' does not exist"))));
  }
  return reactor;
}

grpc::ServerWriteReactor<v1::WorkerReport>* ControlService::Watch(
    grpc::CallbackServerContext* context, const v1::WatchRequest* request) {
  LOG(INFO) << "router " << request->router() << " watches this worker";
  return hub_->NewStream();
}

}  // namespace switchboard::worker
