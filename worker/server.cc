#include "worker/server.h"

#include <algorithm>
#include <filesystem>
#include <random>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "base/clock.h"
#include "base/digest.h"
#include "base/log.h"
#include "base/status_macros.h"
#include "http/ready_file.h"

namespace switchboard::worker {
namespace {

constexpr size_t kMaxImageRequestsWaiting = 256;
constexpr size_t kFingerprintHexDigits = 16;

// What tells this run of the process from any other.
std::string DrawIncarnation() {
  std::random_device device;
  return absl::StrFormat("%08x%08x", device(), device());
}

// Everything that decides which token comes at a place: the weights and how they are computed with,
// and the texts that turn messages into ids.
std::string FingerprintOf(const model::LoadedModel& loaded, const ModelFiles& files) {
  Sha256 sha;
  for (absl::string_view part :
       {absl::string_view(loaded.fingerprint), absl::string_view(loaded.numerics),
        absl::string_view(files.tokenizer_json), absl::string_view(files.chat_template)}) {
    sha.Update(Sha256Of(part));
  }
  if (files.images.has_value()) {
    sha.Update(absl::StrCat(files.images->grid.min_pixels, " ", files.images->grid.max_pixels));
  }
  return ToHex(sha.Finish()).substr(0, kFingerprintHexDigits);
}

std::string FolderName(const std::string& path) {
  std::filesystem::path folder = std::filesystem::path(path).lexically_normal();
  if (!folder.has_filename()) folder = folder.parent_path();
  return folder.filename().string();
}

// Says how far loading is, at most once per tenth.
model::ProgressFn ProgressLog() {
  return [last = -1](double fraction, int64_t bytes) mutable {
    const int tenth = static_cast<int>(fraction * 10);
    if (tenth <= last) return;
    last = tenth;
    LOG(INFO) << "loading weights: " << tenth * 10 << " % (" << model::BytesText(bytes) << ")";
  };
}

int ThreadsFor(const WorkerOptions& options) {
  if (options.threads > 0) return options.threads;
  const int cores = static_cast<int>(std::thread::hardware_concurrency());
  return std::max(1, cores / options.workers_on_host);
}

}  // namespace

absl::StatusOr<std::unique_ptr<WorkerServer>> WorkerServer::Start(const WorkerOptions& options) {
  std::unique_ptr<WorkerServer> server(new WorkerServer(options));
  RETURN_IF_ERROR(server->Load());
  RETURN_IF_ERROR(server->StartEngine());
  RETURN_IF_ERROR(server->Serve());
  return server;
}

absl::Status WorkerServer::Load() {
  model::LoadOptions load;
  load.threads = ThreadsFor(options_);
  load.kv_cache_bytes = options_.kv_cache_bytes;
  load.max_model_len = options_.max_model_len;
  load.max_sequences = options_.max_num_seqs;
  load.max_batched_tokens = options_.max_num_batched_tokens;
  load.memory_budget = model::AvailableMemory() / 10 * 9 / options_.workers_on_host;
  ASSIGN_OR_RETURN(const model::MemoryPlan plan, model::PlanModelMemory(options_.model, load));
  LOG(INFO) << "memory plan: " << plan.Describe();
  ASSIGN_OR_RETURN(files_, ReadModelFiles(options_.model));
  if (files_.images.has_value() && !options_.mm_processor_kwargs.empty()) {
    RETURN_IF_ERROR(ApplyProcessorKwargs(options_.mm_processor_kwargs, &*files_.images));
  }
  ASSIGN_OR_RETURN(loaded_, model::LoadModel(options_.model, load, ProgressLog()));
  LOG(INFO) << loaded_.report;
  if (!loaded_.warning.empty()) LOG(WARNING) << loaded_.warning;

  const model::ModelShape& shape = loaded_.model->shape();
  if (files_.usable_vocab > shape.vocab_size) {
    return absl::InvalidArgumentError(absl::StrCat("tokenizer.json has ids up to ",
                                                   files_.usable_vocab - 1, ", the model has ",
                                                   shape.vocab_size, " rows"));
  }
  identity_.name = options_.listen;
  identity_.incarnation = DrawIncarnation();
  identity_.fingerprint = FingerprintOf(loaded_, files_);
  identity_.model_names = options_.served_names;
  identity_.root = FolderName(options_.model);
  identity_.created = absl::ToUnixSeconds(SystemClock().Now());
  card_.max_model_len = loaded_.plan.max_model_len;
  card_.vocab_size = files_.usable_vocab;
  card_.max_images = options_.max_images;
  card_.openai_content_format = options_.openai_content_format;
  return absl::OkStatus();
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
  probe_->ReadGaugesFrom([this] { return engine_->Stats(); });
  v1::WorkerReport first;
  AddModelNames(identity_, card_.max_model_len, first.mutable_models());
  hub_ = std::make_unique<WatchHub>(
      [this] { return ToReport(identity_, engine_->Stats(), engine_options_, draining_); },
      std::move(first));
  image_jobs_ = std::make_unique<JobQueue>(1, kMaxImageRequestsWaiting);
  return engine_->Start();
}

absl::Status WorkerServer::ServeAdmin(int* port) {
  ASSIGN_OR_RETURN(const rpc::Address address, rpc::ParseListenAddress(options_.admin_listen));
  if (address.is_unix()) return absl::InvalidArgumentError("--admin-listen: give host:port");
  RETURN_IF_ERROR(http::CheckAdminExposure(address.host, options_.admin_token));
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
  admin.token = options_.admin_token;
  admin_handler_ = std::make_unique<http::AdminHandler>(std::move(admin));
  http::ServerOptions listen;
  listen.host = address.host;
  listen.port = address.port;
  listen.port_flag = "--admin-listen";
  admin_ = std::make_unique<http::Server>(listen, admin_handler_.get());
  RETURN_IF_ERROR(admin_->Start());
  *port = admin_->port();
  return absl::OkStatus();
}

absl::Status WorkerServer::Serve() {
  ASSIGN_OR_RETURN(const rpc::Address listen, rpc::ParseListenAddress(options_.listen));
  inference_ = std::make_unique<InferenceService>(&identity_, &files_, &card_, engine_.get(),
                                                  image_jobs_.get());
  control_ = std::make_unique<ControlService>(hub_.get());
  int admin_port = 0;
  if (!options_.admin_listen.empty()) RETURN_IF_ERROR(ServeAdmin(&admin_port));
  ASSIGN_OR_RETURN(server_, rpc::Server::Start(listen, {inference_.get(), control_.get()}));
  server_->SetServing(true);
  const rpc::Address& address = server_->address();
  LOG(INFO) << "worker ready on " << address.ToString() << ": "
            << absl::StrJoin(identity_.model_names, ", ") << ", context " << card_.max_model_len
            << " tokens, fingerprint " << identity_.fingerprint
            << (admin_port == 0 ? "" : absl::StrCat(", admin port ", admin_port));
  if (options_.ready_file.empty()) return absl::OkStatus();
  return http::WriteReadyFile(options_.ready_file, {address.is_unix() ? address.path : address.host,
                                                    address.port, admin_port});
}

void WorkerServer::Stop() {
  draining_ = true;
  if (server_ != nullptr) server_->SetServing(false);
  if (hub_ != nullptr) hub_->NotifyChange();
  if (engine_ != nullptr) engine_->Stop(options_.drain_timeout);
  if (hub_ != nullptr) hub_->Stop();
  // What the engine has said is still being written; that is a matter of moments.
  if (server_ != nullptr) server_->Stop(absl::Seconds(5));
  if (admin_ != nullptr) admin_->Stop(absl::ZeroDuration());
}

WorkerServer::~WorkerServer() { Stop(); }

}  // namespace switchboard::worker
