#include "gateway/upstream/router_client.h"

#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/log.h"
#include "gateway/upstream/client_error.h"
#include "gateway/upstream/convert.h"
#include "gateway/upstream/generate_reader.h"
#include "rpc/channel.h"
#include "rpc/status.h"
#include "switchboard/v1/inference.grpc.pb.h"

namespace switchboard::gateway {
namespace {

constexpr absl::Duration kListTimeout = absl::Seconds(2);
constexpr absl::Duration kCardTimeout = absl::Seconds(20);
// For the status of a call whose choices have all ended.
constexpr absl::Duration kEndPatience = absl::Seconds(5);

}  // namespace

// Bulk and control have a connection each: a health look never waits behind images.
struct RouterClient::Router {
  explicit Router(const rpc::Address& where)
      : name(where.ToString()),
        bulk(v1::Inference::NewStub(rpc::MakeChannel(where))),
        control(v1::Inference::NewStub(rpc::MakeChannel(where))) {}

  const std::string name;
  const std::unique_ptr<v1::Inference::Stub> bulk, control;
};

// A generation, at one router after the other until one accepts it.
class RouterClient::Call final : public Generation {
 public:
  Call(Routers routers, const Clock* clock, const GenerateCall& call, absl::Time deadline)
      : routers_(std::move(routers)),
        clock_(*clock),
        request_(std::make_shared<v1::GenerateRequest>(ToProto(call))),
        deadline_(deadline),
        model_(call.model),
        request_id_(call.request_id) {
    for (const PromptImage& image : call.images) image_params_.push_back(image.param);
    StartNext();
  }
  ~Call() override {
    if (let_end_) {
      reader_->Drain(clock_.Now() + kEndPatience);
    } else {
      reader_->Cancel();
    }
  }

  std::optional<GenerationEvent> Take() override {
    std::optional<GenerationEvent> event = reader_->Take();
    if (!event.has_value()) return event;
    if (std::holds_alternative<Accepted>(*event)) {
      accepted_ = true;
      request_.reset();  // megabytes of images; the reader keeps what it needs
      return event;
    }
    const Ended* ended = std::get_if<Ended>(&*event);
    if (ended == nullptr || ended->status.ok()) return event;
    if (!accepted_ && IsElsewhereMaybe(ended->status)) {
      // That one is gone weighs more than that another has not heard of the model.
      if (refusal_.ok() || absl::IsUnavailable(ended->status)) {
        refusal_ = ended->status;
        retry_after_ = reader_->retry_after();
      }
      if (next_ < routers_.size()) {
        StartNext();
        return std::nullopt;
      }
    } else {
      refusal_ = ended->status;
      retry_after_ = reader_->retry_after();
    }
    LogEnd();
    return GenerationEvent(
        Ended{ClientError(refusal_, accepted_, retry_after_, model_, image_params_)});
  }

  void NotifyWhenReady(std::function<void()> wake) override {
    reader_->NotifyWhenReady(std::move(wake));
  }

  void LetEnd() override { let_end_ = true; }

 private:
  // Whether another router might still take the call.
  static bool IsElsewhereMaybe(const absl::Status& status) {
    return absl::IsUnavailable(status) || absl::IsNotFound(status);
  }

  // Refusals are the ordinary course of a busy day, and clients' mistakes no business of ours.
  void LogEnd() const {
    const std::string text = absl::StrCat("router ", routers_[next_ - 1]->name,
                                          " ended the call: ", refusal_.ToString());
    if (accepted_ || absl::IsInternal(refusal_)) {
      LOG_REQUEST(WARNING, request_id_) << text;
    } else {
      LOG_REQUEST(DEBUG, request_id_) << text;
    }
  }

  void StartNext() {
    reader_ = GenerateReader::Start(routers_[next_]->bulk.get(), request_, deadline_);
    ++next_;
  }

  const Routers routers_;
  const Clock& clock_;
  std::shared_ptr<const v1::GenerateRequest> request_;
  const absl::Time deadline_;
  const std::string model_;
  const std::string request_id_;
  std::vector<std::string> image_params_;
  size_t next_ = 0;  // router to try when the present one is unavailable
  bool accepted_ = false, let_end_ = false;
  // The gravest end so far, and what came with it.
  absl::Status refusal_;
  std::optional<absl::Duration> retry_after_;
  std::shared_ptr<GenerateReader> reader_;
};

// The context of a call that blocks, where CancelLooks() finds it.
class RouterClient::Look {
 public:
  Look(RouterClient* client, absl::Duration timeout) : client_(*client) {
    context_.set_deadline(absl::ToChronoTime(client->clock_.Now() + timeout));
    MutexLock lock(&client_.mutex_);
    client_.looks_.push_back(this);
    // A context may be cancelled before its call: that fails at once then.
    if (client_.looks_cancelled_) context_.TryCancel();
  }
  ~Look() {
    MutexLock lock(&client_.mutex_);
    client_.looks_.erase(std::find(client_.looks_.begin(), client_.looks_.end(), this));
  }
  Look(const Look&) = delete;
  Look& operator=(const Look&) = delete;

  grpc::ClientContext* context() { return &context_; }

 private:
  RouterClient& client_;
  grpc::ClientContext context_;
};

RouterClient::RouterClient(absl::Span<const rpc::Address> routers, const Clock* clock)
    : clock_(*clock), routers_([routers] {
        Routers list;
        for (const rpc::Address& address : routers) {
          list.push_back(std::make_shared<Router>(address));
        }
        return list;
      }()) {
  CHECK(!routers_.empty());
}

RouterClient::~RouterClient() = default;

RouterClient::Routers RouterClient::InOrder() {
  const size_t first = turn_.fetch_add(1, std::memory_order_relaxed) % routers_.size();
  Routers order(routers_.begin() + first, routers_.end());
  order.insert(order.end(), routers_.begin(), routers_.begin() + first);
  return order;
}

std::unique_ptr<Generation> RouterClient::Start(const GenerateCall& call, absl::Time deadline) {
  return std::make_unique<Call>(InOrder(), &clock_, call, deadline);
}

absl::StatusOr<std::vector<ModelName>> RouterClient::ListModels() {
  std::vector<ModelName> models;
  absl::flat_hash_set<std::string> seen;
  absl::Status problem;
  bool answered = false;
  // Always in the same order: the first model is the default one.
  for (const std::shared_ptr<Router>& router : routers_) {
    Look look(this, kListTimeout);
    v1::ListModelsResponse response;
    const absl::Status status = rpc::ToAbsl(
        router->control->ListModels(look.context(), v1::ListModelsRequest(), &response));
    if (!status.ok()) {
      problem = status;
      continue;
    }
    answered = true;
    for (ModelName& model : FromProto(response)) {
      if (seen.insert(model.name).second) models.push_back(std::move(model));
    }
  }
  if (!answered) return problem;
  return models;
}

absl::StatusOr<ModelCard> RouterClient::GetModelCard(const std::string& name) {
  v1::GetModelCardRequest request;
  request.set_name(name);
  absl::Status last;
  for (const std::shared_ptr<Router>& router : routers_) {
    Look look(this, kCardTimeout);
    v1::ModelCard card;
    last = rpc::ToAbsl(router->control->GetModelCard(look.context(), request, &card));
    if (last.ok()) return FromProto(std::move(card));
    if (!absl::IsUnavailable(last) && !absl::IsNotFound(last)) break;
  }
  return last;
}

void RouterClient::CancelLooks() {
  MutexLock lock(&mutex_);
  looks_cancelled_ = true;
  for (Look* look : looks_) look->context()->TryCancel();
}

}  // namespace switchboard::gateway
