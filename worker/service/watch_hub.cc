#include "worker/service/watch_hub.h"

#include <optional>
#include <utility>
#include <vector>

#include "base/check.h"
#include "rpc/status.h"

namespace switchboard::worker {
namespace {

constexpr absl::Duration kShortestGap = absl::Milliseconds(20);
constexpr absl::Duration kLongestGap = absl::Seconds(1);

absl::Status Stopping() { return absl::UnavailableError("the worker is stopping"); }

}  // namespace

// One Watch call. Reports that come while a write is in flight replace each other: only the newest
// counts.
class WatchStream final : public grpc::ServerWriteReactor<v1::WorkerReport> {
 public:
  // `first` is added to the first report that goes out, whichever that is.
  WatchStream(WatchHub* hub, const v1::WorkerReport& first) : hub_(hub), first_(first) {}

  void Send(v1::WorkerReport report) {
    {
      MutexLock lock(&mutex_);
      next_ = std::move(report);
    }
    Advance();
  }

  void End(const absl::Status& status) {
    {
      MutexLock lock(&mutex_);
      if (!end_.has_value()) end_ = status;
    }
    Advance();
  }

  void OnWriteDone(bool ok) override {
    {
      MutexLock lock(&mutex_);
      writing_ = false;
    }
    if (ok) {
      Advance();
    } else {
      End(absl::CancelledError("the router has left"));
    }
  }
  void OnCancel() override { End(absl::CancelledError("the router has left")); }
  void OnDone() override { hub_->Remove(this); }

 private:
  void Advance() EXCLUDES(mutex_) {
    enum { kNothing, kWrite, kFinish } act = kNothing;
    {
      MutexLock lock(&mutex_);
      if (writing_ || finished_) return;
      if (end_.has_value()) {
        finished_ = true;
        act = kFinish;
      } else if (next_.has_value()) {
        in_flight_ = *std::move(next_);
        next_.reset();
        if (std::exchange(is_first_, false)) in_flight_.MergeFrom(first_);
        writing_ = true;
        act = kWrite;
      }
    }
    if (act == kWrite) StartWrite(&in_flight_);
    if (act == kFinish) Finish(rpc::ToGrpc(EndStatus()));
  }

  absl::Status EndStatus() EXCLUDES(mutex_) {
    MutexLock lock(&mutex_);
    return *end_;
  }

  WatchHub* const hub_;
  const v1::WorkerReport& first_;  // the hub's
  v1::WorkerReport in_flight_;     // gRPC's while writing_
  Mutex mutex_;
  std::optional<v1::WorkerReport> next_ GUARDED_BY(mutex_);
  std::optional<absl::Status> end_ GUARDED_BY(mutex_);
  bool is_first_ GUARDED_BY(mutex_) = true;
  bool writing_ GUARDED_BY(mutex_) = false;
  bool finished_ GUARDED_BY(mutex_) = false;
};

WatchHub::WatchHub(std::function<v1::WorkerReport()> report, v1::WorkerReport first)
    : report_(std::move(report)), first_(std::move(first)), thread_([this] { Run(); }) {}

WatchHub::~WatchHub() {
  Stop();
  MutexLock lock(&mutex_);
  CHECK(streams_.empty());
}

grpc::ServerWriteReactor<v1::WorkerReport>* WatchHub::NewStream() {
  auto stream = std::make_shared<WatchStream>(this, first_);
  bool stopping;
  {
    MutexLock lock(&mutex_);
    streams_.emplace(stream.get(), stream);
    stopping = stopping_;
  }
  if (stopping) {
    stream->End(Stopping());
  } else {
    stream->Send(report_());
  }
  return stream.get();
}

void WatchHub::NotifyChange() {
  MutexLock lock(&mutex_);
  if (dirty_) return;
  dirty_ = true;
  changed_.NotifyAll();
}

std::vector<std::shared_ptr<WatchStream>> WatchHub::Streams() {
  MutexLock lock(&mutex_);
  std::vector<std::shared_ptr<WatchStream>> streams;
  for (const auto& [key, stream] : streams_) streams.push_back(stream);
  return streams;
}

void WatchHub::Run() {
  for (;;) {
    {
      MutexLock lock(&mutex_);
      if (!stopping_) stopped_.WaitFor(&mutex_, kShortestGap);
      if (!stopping_ && !dirty_) changed_.WaitFor(&mutex_, kLongestGap);
      if (stopping_) return;
      dirty_ = false;
    }
    const v1::WorkerReport report = report_();
    for (const std::shared_ptr<WatchStream>& stream : Streams()) stream->Send(report);
  }
}

void WatchHub::Remove(WatchStream* stream) {
  std::shared_ptr<WatchStream> last;  // destroyed outside the lock
  MutexLock lock(&mutex_);
  const auto found = streams_.find(stream);
  last = std::move(found->second);
  streams_.erase(found);
}

void WatchHub::Stop() {
  {
    MutexLock lock(&mutex_);
    stopping_ = true;
    changed_.NotifyAll();
    stopped_.NotifyAll();
  }
  if (thread_.joinable()) thread_.join();
  for (const std::shared_ptr<WatchStream>& stream : Streams()) stream->End(Stopping());
}

}  // namespace switchboard::worker
