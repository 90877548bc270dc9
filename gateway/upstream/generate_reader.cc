#include "gateway/upstream/generate_reader.h"

#include "absl/strings/str_cat.h"
#include "gateway/upstream/convert.h"
#include "rpc/status.h"

namespace switchboard::gateway {
namespace {

// Enough for a network round trip of tokens with logprobs; beyond it the consumer is slow.
constexpr size_t kMaxQueuedBytes = 64 << 10;

}  // namespace

// One hold is kept from Start() until the last read has failed, so that Take() and Cancel() may
// start reads from outside of gRPC's own calls.
std::shared_ptr<GenerateReader> GenerateReader::Start(
    v1::Inference::Stub* stub, std::shared_ptr<const v1::GenerateRequest> request,
    absl::Time deadline) {
  std::shared_ptr<GenerateReader> reader(new GenerateReader(std::move(request), deadline));
  {
    MutexLock lock(&reader->mutex_);
    reader->self_ = reader;
  }
  stub->async()->Generate(&reader->context_, reader->request_.get(), reader.get());
  reader->AddHold();
  reader->StartRead(&reader->message_);
  reader->StartCall();
  return reader;
}

GenerateReader::GenerateReader(std::shared_ptr<const v1::GenerateRequest> request,
                               absl::Time deadline)
    : request_(std::move(request)) {
  context_.set_deadline(absl::ToChronoTime(deadline));
}

bool GenerateReader::TakeReadTurn() {
  if (reading_ || read_all_) return false;
  if (!cancelled_ && queued_bytes_ >= kMaxQueuedBytes) return false;
  reading_ = true;
  return true;
}

std::optional<GenerationEvent> GenerateReader::Take() {
  std::optional<GenerationEvent> event;
  bool read_on = false;
  {
    MutexLock lock(&mutex_);
    if (!queue_.empty()) {
      event = std::move(queue_.front().first);
      queued_bytes_ -= queue_.front().second;
      queue_.pop_front();
      read_on = TakeReadTurn();
    } else if (end_.has_value()) {
      event = Ended{*end_};
    }
  }
  if (read_on) StartRead(&message_);
  return event;
}

void GenerateReader::NotifyWhenReady(std::function<void()> wake) {
  {
    MutexLock lock(&mutex_);
    if (queue_.empty() && !end_.has_value()) {
      wake_ = std::move(wake);
      return;
    }
    wake_ = nullptr;
  }
  wake();
}

void GenerateReader::Cancel() {
  bool read_on = false;
  {
    MutexLock lock(&mutex_);
    if (cancelled_) return;
    cancelled_ = true;
    read_on = StopQueueing();
  }
  context_.TryCancel();
  if (read_on) StartRead(&message_);
}

void GenerateReader::Drain(absl::Time deadline) {
  bool read_on = false;
  std::weak_ptr<GenerateReader> self;
  {
    MutexLock lock(&mutex_);
    if (cancelled_ || end_.has_value()) return;
    self = self_;
    read_on = StopQueueing();
  }
  patience_.Set(absl::ToChronoTime(deadline), [self](bool expired) {
    const std::shared_ptr<GenerateReader> reader = expired ? self.lock() : nullptr;
    if (reader != nullptr) reader->Cancel();
  });
  if (read_on) StartRead(&message_);
}

// A paused call has no read that could fail and so end it.
bool GenerateReader::StopQueueing() {
  dropping_ = true;
  wake_ = nullptr;
  queue_.clear();
  queued_bytes_ = 0;
  return TakeReadTurn();
}

std::optional<absl::Duration> GenerateReader::retry_after() const {
  MutexLock lock(&mutex_);
  return retry_after_;
}

void GenerateReader::OnReadDone(bool ok) {
  if (!ok) {
    {
      MutexLock lock(&mutex_);
      reading_ = false;
      read_all_ = true;
    }
    RemoveHold();
    return;
  }
  request_.reset();  // the server has it: megabytes of images
  absl::StatusOr<GenerationEvent> event = FromProto(message_);
  const bool malformed = !event.ok();
  std::function<void()> wake;
  bool read_on = false;
  {
    MutexLock lock(&mutex_);
    reading_ = false;
    if (malformed) {
      if (!malformed_.has_value()) malformed_ = event.status();
      cancelled_ = true;
    } else if (!dropping_) {
      const size_t bytes = message_.ByteSizeLong();
      queue_.emplace_back(*std::move(event), bytes);
      queued_bytes_ += bytes;
      wake.swap(wake_);
    }
    read_on = TakeReadTurn();
  }
  if (malformed) context_.TryCancel();
  if (read_on) StartRead(&message_);
  if (wake) wake();
}

void GenerateReader::OnDone(const grpc::Status& status) {
  std::shared_ptr<GenerateReader> self;
  std::function<void()> wake;
  {
    MutexLock lock(&mutex_);
    self.swap(self_);
    end_ = malformed_.has_value()
               ? absl::InternalError(absl::StrCat("protocol error: ", malformed_->message()))
               : rpc::ToAbsl(status);
    retry_after_ = rpc::GetRetryAfter(context_);
    wake.swap(wake_);
  }
  if (wake) wake();
}

}  // namespace switchboard::gateway
