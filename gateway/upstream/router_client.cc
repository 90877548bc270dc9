#include "gateway/upstream/router_client.h"

#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>

#include <utility>

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
  Call(Routers routers, const GenerateCall& call, absl::Time deadline)
      : routers_(std::move(routers)),
        request_(std::make_shared<v1::GenerateRequest>(ToProto(call))),
        deadline_(deadline),
        model_(call.model),
        request_id_(call.request_id) {
    for (const PromptImage& image : call.images) image_params_.push_back(image.param);
    StartNext();
  }
  ~Call() override { reader_->Cancel(); }

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
    if (!accepted_ && absl::IsUnavailable(ended->status) && next_ < routers_.size()) {
      StartNext();
      return std::nullopt;
    }
    LOG_REQUEST(WARNING, request_id_) << "router " << routers_[next_ - 1]->name
                                      << " ended the call: " << ended->status.ToString();
    return GenerationEvent(Ended{
        ClientError(ended->status, accepted_, reader_->retry_after(), model_, image_params_)});
  }

  void NotifyWhenReady(std::function<void()> wake) override {
    reader_->NotifyWhenReady(std::move(wake));
  }

 private:
  void StartNext() {
    reader_ = GenerateReader::Start(routers_[next_]->bulk.get(), request_, deadline_);
    ++next_;
  }

  const Routers routers_;
  std::shared_ptr<const v1::GenerateRequest> request_;
  const absl::Time deadline_;
  const std::string model_;
  const std::string request_id_;
  std::vector<std::string> image_params_;
  size_t next_ = 0;  // router to try when the present one is unavailable
  bool accepted_ = false;
  std::shared_ptr<GenerateReader> reader_;
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
  return std::make_unique<Call>(InOrder(), call, deadline);
}

absl::StatusOr<std::vector<ModelName>> RouterClient::ListModels() {
  absl::Status last;
  for (const std::shared_ptr<Router>& router : InOrder()) {
    grpc::ClientContext context;
    context.set_deadline(absl::ToChronoTime(clock_.Now() + kListTimeout));
    v1::ListModelsResponse response;
    last = rpc::ToAbsl(router->control->ListModels(&context, v1::ListModelsRequest(), &response));
    if (last.ok()) return FromProto(response);
  }
  return last;
}

absl::StatusOr<ModelCard> RouterClient::GetModelCard(const std::string& name) {
  v1::GetModelCardRequest request;
  request.set_name(name);
  absl::Status last;
  for (const std::shared_ptr<Router>& router : InOrder()) {
    grpc::ClientContext context;
    context.set_deadline(absl::ToChronoTime(clock_.Now() + kCardTimeout));
    v1::ModelCard card;
    last = rpc::ToAbsl(router->control->GetModelCard(&context, request, &card));
    if (last.ok()) return FromProto(std::move(card));
    if (!absl::IsUnavailable(last)) break;
  }
  return last;
}

}  // namespace switchboard::gateway
