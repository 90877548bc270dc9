#include "router/service/worker_link.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "absl/strings/str_join.h"
#include "base/check.h"
#include "base/log.h"
#include "router/service/convert.h"
#include "rpc/channel.h"

namespace switchboard::router {
namespace {

constexpr std::chrono::milliseconds kFirstPause(100);
constexpr std::chrono::milliseconds kLongestPause(2000);

std::chrono::milliseconds PauseAfter(int failures) {
  return std::min(kFirstPause * (1 << std::min(failures, 10)), kLongestPause);
}

std::string ModelsOf(const v1::WorkerReport& report) {
  return absl::StrJoin(report.models(), ", ", [](std::string* out, const v1::ModelName& model) {
    out->append(model.name());
  });
}

}  // namespace

// One Watch call, from its start to OnDone.
class WorkerLink::Watch final : public grpc::ClientReadReactor<v1::WorkerReport> {
 public:
  explicit Watch(WorkerLink* link) : link_(link) { request_.set_router(link->router_); }

  void Begin() {
    link_->control_->async()->Watch(&context_, &request_, this);
    StartRead(&report_);
    StartCall();
  }
  void Cancel() { context_.TryCancel(); }

  void OnReadDone(bool ok) override {
    if (!ok) return;
    link_->OnReport(std::move(report_));
    StartRead(&report_);
  }
  void OnDone(const grpc::Status& status) override {
    // Destroys this.
    link_->OnEnd(status.ok() ? "it ended the watch" : status.error_message());
  }

 private:
  WorkerLink* const link_;
  grpc::ClientContext context_;
  v1::WatchRequest request_;
  v1::WorkerReport report_;
};

WorkerLink::WorkerLink(const rpc::Address& address, std::string router)
    : address_(address.ToString()),
      router_(std::move(router)),
      inference_(v1::Inference::NewStub(rpc::MakeChannel(address))),
      control_(v1::WorkerControl::NewStub(rpc::MakeChannel(address))) {}

WorkerLink::~WorkerLink() {
  MutexLock lock(&mutex_);
  CHECK(resting_);
}

void WorkerLink::Start(Listener listener) {
  listener_ = std::move(listener);
  {
    MutexLock lock(&mutex_);
    resting_ = false;
  }
  Begin();
}

void WorkerLink::Begin() {
  auto watch = std::make_shared<Watch>(this);
  {
    MutexLock lock(&mutex_);
    if (stopping_) {
      resting_ = true;
      rested_.NotifyAll();
      return;
    }
    watch_ = watch;
  }
  // A Stop that comes before this cancels a call that ends as soon as it begins.
  watch->Begin();
}

void WorkerLink::OnReport(v1::WorkerReport report) {
  bool is_first;
  {
    MutexLock lock(&mutex_);
    is_first = !std::exchange(connected_, true);
    failures_ = 0;
  }
  if (is_first) {
    LOG(INFO) << "worker " << report.worker() << " at " << address_ << " serves "
              << ModelsOf(report);
  }
  listener_.reported(ToWorkerReport(std::move(report)));
}

void WorkerLink::OnEnd(const std::string& reason) {
  bool was_connected;
  bool is_news;
  {
    MutexLock lock(&mutex_);
    was_connected = std::exchange(connected_, false);
    is_news = !stopping_ && (was_connected || failures_ == 0);
  }
  if (is_news) {
    LOG(WARNING) << "worker at " << address_ << (was_connected ? " lost: " : " not reached yet: ")
                 << reason;
  }
  if (was_connected) listener_.lost();

  std::shared_ptr<Watch> last;  // destroyed without the lock
  MutexLock lock(&mutex_);
  last = std::move(watch_);
  // Its callback comes from a thread of gRPC's, never from within Set or Cancel. A new alarm each
  // time: the callback of the one before may still be returning.
  alarm_ = std::make_unique<grpc::Alarm>();
  const auto pause = stopping_ ? std::chrono::milliseconds(0) : PauseAfter(failures_++);
  alarm_->Set(std::chrono::system_clock::now() + pause, [this](bool) { Begin(); });
}

void WorkerLink::Stop() {
  std::shared_ptr<Watch> watch;
  {
    MutexLock lock(&mutex_);
    stopping_ = true;
    watch = watch_;
    if (alarm_ != nullptr) alarm_->Cancel();
  }
  if (watch != nullptr) watch->Cancel();
  watch.reset();
  MutexLock lock(&mutex_);
  while (!resting_) rested_.Wait(&mutex_);
}

}  // namespace switchboard::router
