#include "worker/server.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/random_id.h"
#include "base/status_macros.h"
#include "http/ready_file.h"
#include "rpc/listen_check.h"
#include "worker/backend/cpu/team.h"
#include "worker/model/host_memory.h"
#include "worker/service/fingerprint.h"
#include "worker/service/servable.h"

namespace switchboard::worker {
namespace {

constexpr size_t kMaxImageRequestsWaiting = 256;

// Says how far loading is, at most once per tenth.
model::ProgressFn ProgressLog() {
  return [last = -1](double fraction, int64_t bytes) mutable {
    const int tenth = static_cast<int>(fraction * 10);
    if (tenth <= last) return;
    last = tenth;
    LOG(INFO) << "loading weights: " << tenth * 10 << " % (" << model::BytesText(bytes) << ")";
  };
}

model::LoadOptions LoadOptionsFor(const WorkerOptions& options, const ModelFiles& files,
                                  int64_t memory_budget) {
  model::LoadOptions load;
  load.threads = options.threads > 0
                     ? options.threads
                     : std::max(1, backend::UsableProcessors() / options.workers_on_host);
  load.dtype = options.dtype;
  load.kv_cache_bytes = options.kv_cache_bytes;
  load.max_model_len = options.max_model_len;
  load.max_sequences = options.max_num_seqs;
  load.max_batched_tokens = options.max_num_batched_tokens;
  load.memory_budget = memory_budget;
  if (files.images.has_value()) load.max_image_tokens = MaxImageTokens(*files.images);
  return load;
}

}  // namespace

absl::StatusOr<std::unique_ptr<WorkerServer>> WorkerServer::Start(const WorkerOptions& options) {
  std::unique_ptr<WorkerServer> server(new WorkerServer(options));
  RETURN_IF_ERROR(server->CheckAddresses());
  RETURN_IF_ERROR(server->ReadFiles());
  RETURN_IF_ERROR(server->Load());
  server->Introduce();
  RETURN_IF_ERROR(server->StartEngine());
  RETURN_IF_ERROR(server->Serve());
  return server;
}

// Before the model is loaded, which may take minutes.
absl::Status WorkerServer::CheckAddresses() {
  absl::StatusOr<rpc::Address> listen = rpc::ParseListenAddress(options_.listen);
  if (!listen.ok()) return Annotate(listen.status(), "--listen");
  listen_ = *std::move(listen);
  RETURN_IF_ERROR(Annotate(rpc::CheckCanListen(listen_), "--listen"));
  if (!listen_.IsLocal()) {
    LOG(WARNING) << "unencrypted gRPC beyond this host: " << listen_.ToString();
  }
  if (!options_.admin.address.has_value()) return absl::OkStatus();
  const rpc::Address& admin = *options_.admin.address;
  RETURN_IF_ERROR(http::CheckAdminExposure(admin.host, options_.admin.token));
  return Annotate(rpc::CheckCanListen(admin), "--admin-listen");
}

absl::Status WorkerServer::ReadFiles() {
  ASSIGN_OR_RETURN(files_, ReadModelFiles(options_.model));
  if (!options_.tokenizer.empty()) {
    RETURN_IF_ERROR(Annotate(ReplaceTokenizer(options_.tokenizer, &files_), "--tokenizer"));
  }
  if (!options_.chat_template.empty()) {
    RETURN_IF_ERROR(Annotate(ReplaceTemplate(options_.chat_template, &files_), "--chat-template"));
  }
  if (options_.mm_processor_kwargs.empty()) return absl::OkStatus();
  if (!files_.images.has_value()) {
    return absl::InvalidArgumentError("--mm-processor-kwargs: this model does not take images");
  }
  return ApplyProcessorKwargs(options_.mm_processor_kwargs, &*files_.images);
}

absl::Status WorkerServer::Load() {
  ASSIGN_OR_RETURN(const int64_t budget, model::MemoryBudget(options_.workers_on_host));
  const model::LoadOptions load = LoadOptionsFor(options_, files_, budget);
  ASSIGN_OR_RETURN(const model::MemoryPlan plan, model::PlanModelMemory(options_.model, load));
  RETURN_IF_ERROR(CheckServable(files_, plan.vocab_size));
  // Half of the tenth that the model's plan leaves; the rest is for everything small.
  image_bytes_ = budget / 9 / 2;
  LOG(INFO) << "memory plan: " << plan.Describe()
            << (files_.images.has_value()
                    ? absl::StrCat(", beside it images in flight ", model::BytesText(image_bytes_))
                    : "");
  ASSIGN_OR_RETURN(loaded_, model::LoadModel(options_.model, load, ProgressLog()));
  LOG(INFO) << loaded_.report;
  if (!loaded_.warning.empty()) LOG(WARNING) << loaded_.warning;
  return absl::OkStatus();
}

void WorkerServer::Introduce() {
  identity_.name = options_.listen;
  identity_.incarnation = RandomId();
  identity_.fingerprint = FingerprintOf(loaded_.fingerprint, loaded_.numerics, files_);
  identity_.model_names = options_.served_names;
  identity_.root = options_.model_names.empty() ? "" : options_.model_names[0];
  identity_.created = absl::ToUnixSeconds(SystemClock().Now());
  card_.max_model_len = loaded_.plan.max_model_len;
  card_.vocab_size = files_.usable_vocab;
  card_.max_images = options_.max_images;
  card_.openai_content_format = options_.openai_content_format;
}

absl::Status WorkerServer::StartEngine() {
  engine_options_.max_running = options_.max_num_seqs;
  engine_options_.max_waiting = options_.max_waiting;
  engine_options_.max_batched_tokens = options_.max_num_batched_tokens;
  engine_options_.kv_pages = loaded_.plan.kv_pages;
  engine_options_.max_model_len = loaded_.plan.max_model_len;
  engine_options_.usable_vocab = files_.usable_vocab;
  engine_options_.eos_token_ids = files_.eos_token_ids;
  probe_ = std::make_unique<WorkerProbe>(options_.served_names.front(),
                                         [this] { hub_->NotifyChange(); });
  engine_ = std::make_unique<engine::Engine>(loaded_.model.get(), engine_options_, SystemClock(),
                                             probe_.get());
  v1::WorkerReport first;
  AddModelNames(identity_, ToCard(identity_, files_, card_), first.mutable_models());
  image_budget_ = std::make_unique<ByteBudget>(image_bytes_);
  image_jobs_ = std::make_unique<JobQueue>(1, kMaxImageRequestsWaiting);
  const auto load = [this] { return LoadOf(*engine_, *image_jobs_); };
  probe_->ReadGaugesFrom(load);
  hub_ = std::make_unique<WatchHub>(
      [this, load] { return ToReport(identity_, load(), engine_options_, draining_); },
      std::move(first));
  return engine_->Start();
}

absl::Status WorkerServer::ServeAdmin() {
  if (!options_.admin.address.has_value()) return absl::OkStatus();
  http::AdminOptions admin;
  admin.health = [this] {
    http::Health health;
    health.ok = !draining_;
    health.model = options_.served_names.front();
    health.code = "shutting_down";
    health.reason = "the worker is stopping";
    return health;
  };
  admin.registry = &probe_->registry();
  admin.token = options_.admin.token;
  const rpc::Address& listen = *options_.admin.address;
  ASSIGN_OR_RETURN(admin_, http::AdminServer::Start(listen.host, listen.port, std::move(admin)));
  return absl::OkStatus();
}

absl::Status WorkerServer::Serve() {
  const ImageWork images = {.jobs = image_jobs_.get(),
                            .budget = image_budget_.get(),
                            .hidden_size = loaded_.model->shape().hidden_size};
  inference_ =
      std::make_unique<InferenceService>(&identity_, &files_, &card_, engine_.get(), images);
  control_ = std::make_unique<ControlService>(hub_.get());
  RETURN_IF_ERROR(ServeAdmin());
  ASSIGN_OR_RETURN(server_, rpc::Server::Start(listen_, {inference_.get(), control_.get()}));
  server_->SetServing(true);
  const rpc::Address& address = server_->address();
  LOG(INFO) << "worker ready on " << address.ToString() << ": "
            << absl::StrJoin(identity_.model_names, ", ") << ", context " << card_.max_model_len
            << " tokens, fingerprint " << identity_.fingerprint;
  if (options_.ready_file.empty()) return absl::OkStatus();
  const int admin_port = admin_ == nullptr ? 0 : admin_->port();
  return http::WriteReadyFile(options_.ready_file, {address.is_unix() ? address.path : address.host,
                                                    address.port, admin_port});
}

void WorkerServer::Stop() {
  draining_ = true;
  if (server_ != nullptr) server_->SetServing(false);
  if (hub_ != nullptr) hub_->NotifyChange();
  // Requests whose images still wait have computed nothing: another worker can take them.
  if (image_jobs_ != nullptr) image_jobs_->BeginStop();
  if (engine_ != nullptr) engine_->Stop(options_.drain_timeout);
  if (hub_ != nullptr) hub_->Stop();
  // What the engine has said is still being written; that is a matter of moments. Streams that
  // nobody reads are cut.
  if (server_ != nullptr) server_->Stop(absl::Seconds(5));
  if (image_jobs_ != nullptr) image_jobs_->Stop();
  if (admin_ != nullptr) admin_->Stop();
}

WorkerServer::~WorkerServer() { Stop(); }

}  // namespace switchboard::worker
