#include "tests/double/double_worker.h"

#include <unistd.h>

#include <atomic>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "base/random_id.h"
#include "base/status_macros.h"
#include "rpc/server.h"
#include "rpc/status.h"
#include "switchboard/v1/inference.grpc.pb.h"
#include "switchboard/v1/worker.grpc.pb.h"
#include "tests/double/card.h"
#include "tests/double/generation.h"
#include "tests/double/ticker.h"
#include "tests/double/watch.h"

namespace switchboard::doubles {
namespace {

constexpr uint64_t kMostSeedMicros = 10'000'000;

class RefusedGeneration final : public grpc::ServerWriteReactor<v1::GenerateEvent> {
 public:
  explicit RefusedGeneration(const absl::Status& status) { Finish(rpc::ToGrpc(status)); }
  void OnDone() override { delete this; }
};

class HungCard final : public grpc::ServerUnaryReactor {
 public:
  void OnCancel() override { Finish(grpc::Status::CANCELLED); }
  void OnDone() override { delete this; }
};

}  // namespace

class DoubleWorker::Core final : public v1::Inference::CallbackService {
 public:
  explicit Core(DoubleOptions options)
      : options_(std::move(options)),
        card_(MakeCard(options_.fingerprint, options_.context)),
        incarnation_(RandomId()),
        load_(options_.max_running, options_.max_waiting),
        host_{options_.name, options_.fingerprint, &load_, &ticker_,
              options_.die != nullptr ? options_.die : [] { _exit(42); }},
        control_(this) {}

  absl::Status Start() {
    ASSIGN_OR_RETURN(server_, rpc::Server::Start(options_.listen, {this, &control_}));
    server_->SetServing(true);
    return absl::OkStatus();
  }

  grpc::ServerWriteReactor<v1::GenerateEvent>* Generate(
      grpc::CallbackServerContext*, const v1::GenerateRequest* request) override {
    if (absl::Status status = Check(*request); !status.ok()) return new RefusedGeneration(status);
    const uint64_t seed = request->sampling().seed();
    const absl::Duration interval = seed > kMostSeedMicros
                                        ? options_.default_interval
                                        : absl::Microseconds(static_cast<int64_t>(seed));
    const auto generation = std::make_shared<Generation>(
        &host_, ++last_id_, *request, interval, FaultsOf(request->prompt_ids(), options_.faults));
    generation->Begin();
    return generation.get();
  }

  grpc::ServerUnaryReactor* ListModels(grpc::CallbackServerContext* context,
                                       const v1::ListModelsRequest*,
                                       v1::ListModelsResponse* response) override {
    for (const std::string& name : options_.models) FillModel(name, response->add_models());
    auto* reactor = context->DefaultReactor();
    reactor->Finish(grpc::Status::OK);
    return reactor;
  }

  grpc::ServerUnaryReactor* GetModelCard(grpc::CallbackServerContext* context,
                                         const v1::GetModelCardRequest* request,
                                         v1::ModelCard* response) override {
    ++card_calls_;
    if (options_.hang_cards) return new HungCard;
    auto* reactor = context->DefaultReactor();
    const absl::Status status = CheckModel(request->name());
    if (status.ok()) *response = card_;
    reactor->Finish(rpc::ToGrpc(status));
    return reactor;
  }

  rpc::Server* server() const { return server_.get(); }
  const Load& load() const { return load_; }
  int card_calls() const { return card_calls_; }
  void SetDraining(bool draining) { draining_ = draining; }

 private:
  class Control final : public v1::WorkerControl::CallbackService {
   public:
    explicit Control(Core* core) : core_(core) {}
    grpc::ServerWriteReactor<v1::WorkerReport>* Watch(grpc::CallbackServerContext*,
                                                      const v1::WatchRequest*) override {
      const auto watch =
          std::make_shared<doubles::Watch>(core_->BaseReport(), &core_->load_, &core_->ticker_,
                                           [core = core_] { return core->draining_.load(); });
      watch->Begin();
      return watch.get();
    }

   private:
    Core* const core_;
  };

  absl::Status CheckModel(const std::string& name) const {
    for (const std::string& model : options_.models) {
      if (model == name) return absl::OkStatus();
    }
    return absl::NotFoundError(absl::StrCat("the model \"", name, "\" does not exist"));
  }

  absl::Status Check(const v1::GenerateRequest& request) const {
    RETURN_IF_ERROR(CheckModel(request.model()));
    if (!request.fingerprint().empty() && request.fingerprint() != options_.fingerprint) {
      return absl::FailedPreconditionError("fingerprint: of another model");
    }
    if (request.prompt_ids().empty()) return absl::InvalidArgumentError("prompt_ids: empty");
    if (request.choices() < 1) return absl::InvalidArgumentError("choices: below 1");
    if (request.sampling().max_tokens() < 1)
      return absl::InvalidArgumentError("max_tokens: below 1");
    return absl::OkStatus();
  }

  void FillModel(const std::string& name, v1::ModelName* model) const {
    model->set_name(name);
    model->set_root("worker-double");
    model->set_created(created_);
    model->set_max_model_len(options_.context);
    model->set_fingerprint(options_.fingerprint);
    model->set_card_version(card_.card_version());
  }

  v1::WorkerReport BaseReport() const {
    v1::WorkerReport report;
    report.set_incarnation(incarnation_);
    report.set_worker(options_.name);
    for (const std::string& name : options_.models) FillModel(name, report.add_models());
    report.set_max_running(options_.max_running);
    report.set_max_waiting(options_.max_waiting);
    return report;
  }

  const DoubleOptions options_;
  const v1::ModelCard card_;
  const int64_t created_ = absl::ToUnixSeconds(absl::Now());
  const std::string incarnation_;
  std::atomic<uint64_t> last_id_ = 0;
  std::atomic<int> card_calls_ = 0;
  std::atomic<bool> draining_ = false;
  Load load_;
  Ticker ticker_;
  const GenerationHost host_;
  Control control_;
  std::unique_ptr<rpc::Server> server_;  // last: its calls use all of the above
};

DoubleWorker::DoubleWorker(std::unique_ptr<Core> core) : core_(std::move(core)) {}

DoubleWorker::~DoubleWorker() { Stop(absl::ZeroDuration()); }

absl::StatusOr<std::unique_ptr<DoubleWorker>> DoubleWorker::Start(DoubleOptions options) {
  auto core = std::make_unique<Core>(std::move(options));
  RETURN_IF_ERROR(core->Start());
  return std::unique_ptr<DoubleWorker>(new DoubleWorker(std::move(core)));
}

const rpc::Address& DoubleWorker::address() const { return core_->server()->address(); }

Load::Counts DoubleWorker::counts() const { return core_->load().counts(); }

int DoubleWorker::card_calls() const { return core_->card_calls(); }

void DoubleWorker::SetDraining(bool draining) { core_->SetDraining(draining); }

void DoubleWorker::Stop(absl::Duration grace) { core_->server()->Stop(grace); }

}  // namespace switchboard::doubles
