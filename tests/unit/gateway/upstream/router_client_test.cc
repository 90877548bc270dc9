#include "gateway/upstream/router_client.h"

#include <gmock/gmock.h>
#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <future>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "switchboard/v1/inference.grpc.pb.h"
#include "tests/support/status_matchers.h"

namespace switchboard::gateway {
namespace {

using testing::ElementsAre;
using testing::Field;

// A router that knows some names and ends its one choice at once.
class FakeRouter final : public v1::Inference::Service {
 public:
  explicit FakeRouter(std::vector<std::string> models) : models_(std::move(models)) {
    grpc::ServerBuilder builder;
    builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port_);
    builder.RegisterService(this);
    server_ = builder.BuildAndStart();
  }
  ~FakeRouter() override { server_->Shutdown(); }

  rpc::Address address() const { return {"127.0.0.1", port_, ""}; }
  // How the first call ended: whether the client cancelled it. Waits for that.
  bool WasCancelled() { return cancelled_.get_future().get(); }
  // Lets the first call, all of whose choices are over, end.
  void LetGo() { let_go_.set_value(); }

  grpc::Status ListModels(grpc::ServerContext*, const v1::ListModelsRequest*,
                          v1::ListModelsResponse* response) override {
    for (const std::string& name : models_) response->add_models()->set_name(name);
    return grpc::Status::OK;
  }

  grpc::Status Generate(grpc::ServerContext* context, const v1::GenerateRequest* request,
                        grpc::ServerWriter<v1::GenerateEvent>* writer) override {
    if (std::find(models_.begin(), models_.end(), request->model()) == models_.end()) {
      return grpc::Status(grpc::StatusCode::NOT_FOUND, "unknown");
    }
    v1::GenerateEvent event;
    event.mutable_accepted()->set_worker("w");
    writer->Write(event);
    event.mutable_finished()->set_reason(v1::Finished::REASON_STOP);
    writer->Write(event);
    std::future<void> let_go = let_go_.get_future();
    while (let_go.wait_for(std::chrono::milliseconds(1)) != std::future_status::ready &&
           !context->IsCancelled()) {
    }
    cancelled_.set_value(context->IsCancelled());
    return grpc::Status::OK;
  }

 private:
  const std::vector<std::string> models_;
  int port_ = 0;
  std::promise<void> let_go_;
  std::promise<bool> cancelled_;
  std::unique_ptr<grpc::Server> server_;
};

GenerationEvent WaitFor(Generation* generation) {
  for (;;) {
    if (std::optional<GenerationEvent> event = generation->Take()) return *std::move(event);
    std::promise<void> woken;
    generation->NotifyWhenReady([&woken] { woken.set_value(); });
    woken.get_future().wait();
  }
}

// A generation of the model "m", whose only choice has ended.
std::unique_ptr<Generation> FinishedGeneration(RouterClient* client) {
  GenerateCall call;
  call.model = "m";
  call.prompt_ids = {1};
  std::unique_ptr<Generation> generation = client->Start(call, absl::Now() + absl::Seconds(60));
  EXPECT_TRUE(std::holds_alternative<Accepted>(WaitFor(generation.get())));
  EXPECT_TRUE(std::holds_alternative<Finished>(WaitFor(generation.get())));
  return generation;
}

TEST(RouterClientTest, AGenerationThatIsLetEndIsNotCancelled) {
  FakeRouter router({"m"});
  RouterClient client({router.address()}, &SystemClock());
  std::unique_ptr<Generation> generation = FinishedGeneration(&client);
  generation->LetEnd();
  generation.reset();
  router.LetGo();
  EXPECT_FALSE(router.WasCancelled());
}

TEST(RouterClientTest, OneThatIsDroppedIsCancelled) {
  FakeRouter router({"m"});
  RouterClient client({router.address()}, &SystemClock());
  FinishedGeneration(&client).reset();
  EXPECT_TRUE(router.WasCancelled());
}

TEST(RouterClientTest, ModelsAreThoseOfAllRoutersInAFixedOrder) {
  const FakeRouter empty({}), one({"m", "n"}), two({"o", "m"});
  RouterClient client({empty.address(), one.address(), two.address()}, &SystemClock());
  for (int i = 0; i < 4; ++i) {
    const absl::StatusOr<std::vector<ModelName>> models = client.ListModels();
    ASSERT_THAT(models, IsOk());
    EXPECT_THAT(*models, ElementsAre(Field(&ModelName::name, "m"), Field(&ModelName::name, "n"),
                                     Field(&ModelName::name, "o")));
  }
}

TEST(RouterClientTest, ARouterThatDoesNotKnowTheModelHandsTheCallOn) {
  FakeRouter empty({}), full({"m"});
  RouterClient client({empty.address(), full.address()}, &SystemClock());
  const std::unique_ptr<Generation> generation = FinishedGeneration(&client);
  full.LetGo();
  EXPECT_FALSE(full.WasCancelled());
}

TEST(RouterClientTest, AModelThatNoRouterKnowsIsNotFound) {
  const FakeRouter one({}), two({});
  RouterClient client({one.address(), two.address()}, &SystemClock());
  GenerateCall call;
  call.model = "m";
  const std::unique_ptr<Generation> generation =
      client.Start(call, absl::Now() + absl::Seconds(60));
  const GenerationEvent event = WaitFor(generation.get());
  ASSERT_TRUE(std::holds_alternative<Ended>(event));
  EXPECT_THAT(std::get<Ended>(event).status, StatusIs(absl::StatusCode::kNotFound, testing::_));
}

TEST(RouterClientTest, CancelledLooksFail) {
  const FakeRouter router({"m"});
  RouterClient client({router.address()}, &SystemClock());
  client.CancelLooks();
  EXPECT_THAT(client.ListModels(), StatusIs(absl::StatusCode::kCancelled, testing::_));
  EXPECT_THAT(client.GetModelCard("m"), StatusIs(absl::StatusCode::kCancelled, testing::_));
}

}  // namespace
}  // namespace switchboard::gateway
