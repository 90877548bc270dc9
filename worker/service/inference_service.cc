#include "worker/service/inference_service.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/log.h"
#include "base/status_macros.h"
#include "rpc/status.h"
#include "worker/service/image_loader.h"

namespace switchboard::worker {

engine::EngineStats LoadOf(const engine::Engine& engine, const JobQueue& image_jobs) {
  // First: a request that moves on meanwhile is counted twice rather than not at all.
  const int decoding = image_jobs.unfinished();
  engine::EngineStats stats = engine.Stats();
  stats.waiting += decoding;
  return stats;
}

// A request whose images are being decoded.
struct InferenceService::Preparation {
  const v1::GenerateRequest* request;  // read only until `stream` is told how it went on
  std::shared_ptr<TokenStream> stream;
  engine::Request prepared;
};

InferenceService::InferenceService(const Identity* identity, const ModelFiles* files,
                                   const CardOptions* options, engine::Engine* engine,
                                   const ImageWork& image_work)
    : identity_(identity),
      files_(files),
      options_(options),
      engine_(engine),
      image_work_(image_work),
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
  RETURN_IF_ERROR(CheckPlacements(request, *files_, options_->max_images));
  return CheckPixels(request, MaxRequestPixels(options_->max_images));
}

grpc::ServerWriteReactor<v1::GenerateEvent>* InferenceService::Generate(
    grpc::CallbackServerContext* context, const v1::GenerateRequest* request) {
  const std::shared_ptr<TokenStream> stream = TokenStream::Start(identity_, engine_, context);
  absl::Status status = Check(*request);
  if (status.ok() && request->media().empty()) {
    stream->Submit(ToEngineRequest(*request));
  } else {
    if (status.ok()) status = SubmitWithImages(request, stream);
    if (!status.ok()) stream->Refuse(status);
  }
  return stream.get();
}

absl::Status InferenceService::SubmitWithImages(const v1::GenerateRequest* request,
                                                const std::shared_ptr<TokenStream>& stream) {
  const auto message_bytes = static_cast<int64_t>(request->ByteSizeLong());
  const int64_t image_bytes = ImageBytes(*request, *files_->images, image_work_.hidden_size);
  ASSIGN_OR_RETURN(ByteBudget::Share share, image_work_.budget->Take(message_bytes + image_bytes));
  stream->HoldMemory(std::move(share), message_bytes);
  auto work = std::make_shared<Preparation>(request, stream, ToEngineRequest(*request));
  return image_work_.jobs->Add([this, work](bool stopped) {
    if (!stopped) return PrepareNext(work.get());
    work->stream->Refuse(absl::UnavailableError("the worker is stopping"));
    return false;
  });
}

bool InferenceService::PrepareNext(Preparation* work) const {
  if (work->stream->abandoned()) {
    work->stream->Refuse(absl::CancelledError("the client has left"));
    return false;
  }
  std::vector<engine::PreparedImage>& images = work->prepared.images;
  const auto next = static_cast<int>(images.size());
  absl::StatusOr<engine::PreparedImage> image =
      PrepareImage(work->request->media(next), *files_->images);
  if (!image.ok()) {
    work->stream->Refuse(Annotate(image.status(), absl::StrCat("media[", next, "]")));
    return false;
  }
  images.push_back(*std::move(image));
  if (next + 1 < work->request->media_size()) return true;
  work->stream->Submit(std::move(work->prepared));
  return false;
}

grpc::ServerUnaryReactor* InferenceService::ListModels(grpc::CallbackServerContext* context,
                                                       const v1::ListModelsRequest* request,
                                                       v1::ListModelsResponse* response) {
  AddModelNames(*identity_, card_, response->mutable_models());
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
