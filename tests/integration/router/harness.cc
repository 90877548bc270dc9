#include "tests/integration/router/harness.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <thread>

#include "absl/strings/str_cat.h"
#include "base/clock.h"
#include "rpc/channel.h"
#include "rpc/status.h"

namespace switchboard::router {

bool Eventually(const std::function<bool()>& condition) {
  const absl::Duration end = SystemClock().Monotonic() + absl::Seconds(30);
  while (SystemClock().Monotonic() < end) {
    if (condition()) return true;
    std::this_thread::yield();
  }
  return false;
}

v1::GenerateRequest RequestFor(const std::string& prompt, int max_tokens, uint64_t interval_us,
                               int choices) {
  v1::GenerateRequest request;
  request.set_request_id("test");
  request.set_model("double");
  for (const char byte : prompt) request.add_prompt_ids(static_cast<unsigned char>(byte));
  request.set_choices(choices);
  request.mutable_sampling()->set_max_tokens(max_tokens);
  request.mutable_sampling()->set_seed(interval_us);
  return request;
}

Call::Call(v1::Inference::Stub* stub, const v1::GenerateRequest& request) {
  seen_.tokens.resize(static_cast<size_t>(request.choices()));
  seen_.finished.resize(static_cast<size_t>(request.choices()));
  reader_ = stub->Generate(&context_, request);
}

Call::~Call() {
  if (over_) return;
  Cancel();
  Finish();
}

void Call::Take(const v1::GenerateEvent& event) {
  std::string fault;
  if (event.has_accepted()) {
    if (++seen_.accepted > 1) fault = "Accepted twice";
    seen_.worker = event.accepted().worker();
  } else if (seen_.accepted == 0) {
    fault = "not accepted yet";
  } else if (event.has_tokens()) {
    const auto choice = static_cast<size_t>(event.tokens().choice());
    std::vector<int32_t>& tokens = seen_.tokens.at(choice);
    if (event.tokens().position() != static_cast<int32_t>(tokens.size())) fault = "gap or repeat";
    if (seen_.finished.at(choice)) fault = "tokens after the end";
    tokens.insert(tokens.end(), event.tokens().ids().begin(), event.tokens().ids().end());
  } else if (event.has_finished()) {
    const auto choice = static_cast<size_t>(event.finished().choice());
    if (seen_.finished.at(choice)) fault = "finished twice";
    seen_.finished[choice] = true;
  } else {
    fault = "an event of no kind";
  }
  if (seen_.fault.empty()) seen_.fault = fault;
}

bool Call::Next() {
  v1::GenerateEvent event;
  if (over_ || !reader_->Read(&event)) return false;
  Take(event);
  return true;
}

bool Call::ReadTokens(size_t tokens) {
  while (seen_.tokens[0].size() < tokens) {
    if (!Next()) return false;
  }
  return true;
}

const Seen& Call::Finish() {
  while (Next()) {
  }
  if (!over_) {
    over_ = true;
    seen_.status = rpc::ToAbsl(reader_->Finish());
    seen_.retry_after = rpc::GetRetryAfter(context_);
  }
  return seen_;
}

Cluster::Cluster(std::vector<doubles::DoubleOptions> workers, CoreOptions core)
    : options_(std::move(workers)) {
  EXPECT_NE(mkdtemp(folder_.data()), nullptr);
  RouterOptions router;
  router.listen = *rpc::ParseListenAddress("127.0.0.1:0");
  router.core = std::move(core);
  std::vector<std::string> addresses;
  for (size_t i = 0; i < options_.size(); ++i) {
    options_[i].name = std::string(1, static_cast<char>('a' + i));
    // No other process takes a socket's path between a kill and the restart.
    options_[i].listen = *rpc::ParseListenAddress("unix:" + folder_ + "/" + options_[i].name);
    auto worker = doubles::DoubleWorker::Start(options_[i]);
    EXPECT_TRUE(worker.ok()) << worker.status();
    router.workers.push_back((*worker)->address());
    addresses.push_back((*worker)->address().ToString());
    workers_.push_back(*std::move(worker));
  }
  probe_ = std::make_unique<Probe>(&registry_, addresses);
  router_ = std::make_unique<Router>(router, &SystemClock(), probe_.get());
  const absl::Status started = router_->Start();
  EXPECT_TRUE(started.ok()) << started;
  stub_ = v1::Inference::NewStub(rpc::MakeChannel(router_->address()));
  EXPECT_TRUE(Eventually(
      [this] { return router_->ConnectedWorkers() == static_cast<int>(workers_.size()); }));
}

Cluster::~Cluster() {
  router_->Stop(absl::ZeroDuration());
  workers_.clear();
  std::filesystem::remove_all(folder_);
}

void Cluster::RestartWorker(size_t i) {
  workers_[i].reset();
  auto worker = doubles::DoubleWorker::Start(options_[i]);
  EXPECT_TRUE(worker.ok()) << worker.status();
  workers_[i] = *std::move(worker);
}

double Cluster::Metric(const std::string& name) const {
  for (const prometheus::MetricFamily& family : registry_.Collect()) {
    if (family.name != name) continue;
    const prometheus::ClientMetric& metric = family.metric.at(0);
    return family.type == prometheus::MetricType::Gauge ? metric.gauge.value : metric.counter.value;
  }
  ADD_FAILURE() << "no metric " << name;
  return -1;
}

}  // namespace switchboard::router
