#include "router/service/client_stream.h"

#include <utility>

namespace switchboard::router {
namespace {

// Appends the tokens of `event` to `last` when they continue it.
bool Merge(v1::GenerateEvent* last, const v1::GenerateEvent& event) {
  if (!last->has_tokens() || !event.has_tokens()) return false;
  if (last->tokens().choice() != event.tokens().choice()) return false;
  last->mutable_tokens()->mutable_ids()->MergeFrom(event.tokens().ids());
  last->mutable_tokens()->mutable_logprobs()->MergeFrom(event.tokens().logprobs());
  return true;
}

}  // namespace

void ClientStream::Send(v1::GenerateEvent event, size_t bytes) {
  {
    MutexLock lock(&mutex_);
    if (gone_) return;
    if (!waiting_.empty() && Merge(&waiting_.back().event, event)) {
      waiting_.back().bytes += bytes;
    } else {
      waiting_.push_back({std::move(event), bytes});
    }
  }
  Advance();
}

void ClientStream::Finish(const grpc::Status& status) {
  {
    MutexLock lock(&mutex_);
    finish_ = status;
  }
  Advance();
}

void ClientStream::Advance() {
  std::optional<grpc::Status> finish;
  {
    MutexLock lock(&mutex_);
    if (busy_) return;
    if (!waiting_.empty()) {
      writing_ = std::move(waiting_.front());
      waiting_.pop_front();
    } else if (finish_.has_value()) {
      finish = finish_;
    } else {
      return;
    }
    busy_ = true;
  }
  // From here gRPC may call back at any moment; after Finish this object may be gone.
  if (finish.has_value()) {
    ServerWriteReactor::Finish(*finish);
  } else {
    StartWrite(&writing_.event);
  }
}

void ClientStream::OnWriteDone(bool ok) {
  const size_t bytes = writing_.bytes;
  bool may_listen;
  {
    MutexLock lock(&mutex_);
    busy_ = false;
    if (!ok) {
      gone_ = true;
      waiting_.clear();
    }
    may_listen = !finish_.has_value();
  }
  if (may_listen && ok) listener_.wrote(bytes);
  if (may_listen && !ok) listener_.left();
  Advance();
}

void ClientStream::OnCancel() {
  {
    MutexLock lock(&mutex_);
    if (finish_.has_value()) return;
  }
  listener_.left();
}

}  // namespace switchboard::router
