#include "worker/service/token_stream.h"

#include <algorithm>
#include <utility>

#include "rpc/status.h"

namespace switchboard::worker {
namespace {

// Enough for some hundred tokens with twenty log-probabilities each.
constexpr size_t kMaxPendingBytes = 64 << 10;
constexpr absl::Duration kRetryAfter = absl::Seconds(1);

}  // namespace

std::shared_ptr<TokenStream> TokenStream::Start(const Identity* identity, engine::Engine* engine,
                                                grpc::CallbackServerContext* context) {
  std::shared_ptr<TokenStream> stream(new TokenStream(identity, engine, context));
  stream->self_ = stream;
  return stream;
}

TokenStream::TokenStream(const Identity* identity, engine::Engine* engine,
                         grpc::CallbackServerContext* context)
    : identity_(identity), engine_(engine), context_(context) {}

void TokenStream::Submit(engine::Request request) {
  {
    MutexLock lock(&mutex_);
    if (cancelled_) return;  // the call has its end already
    unfinished_choices_ = request.choices;
    with_logprobs_ = request.sampling.logprobs;
  }
  // A reference of its own: the call may end, and self_ go, while Submit runs.
  const std::shared_ptr<TokenStream> keep = shared_from_this();
  absl::StatusOr<uint64_t> id = engine_->Submit(std::move(request), keep);
  if (!id.ok()) return Refuse(id.status());
  bool left_meanwhile;
  {
    MutexLock lock(&mutex_);
    engine_id_ = *id;
    left_meanwhile = cancelled_;
  }
  if (left_meanwhile) engine_->Cancel(*id);
}

void TokenStream::Refuse(const absl::Status& status) {
  {
    MutexLock lock(&mutex_);
    if (!end_.has_value()) end_ = status;
  }
  Advance();
}

void TokenStream::OnEvent(engine::Event event) {
  {
    MutexLock lock(&mutex_);
    if (const auto* failed = std::get_if<engine::FailedEvent>(&event)) {
      if (!end_.has_value()) end_ = failed->status;
    } else {
      AppendEvent(event, *identity_, with_logprobs_, &pending_);
      if (std::holds_alternative<engine::FinishedEvent>(event) && --unfinished_choices_ == 0 &&
          !end_.has_value()) {
        end_ = absl::OkStatus();
      }
    }
    size_t bytes = 0;
    for (const v1::GenerateEvent& waiting : pending_) bytes += waiting.ByteSizeLong();
    pending_bytes_ = bytes;
  }
  Advance();
}

bool TokenStream::ReadyForMore() const { return pending_bytes_ < kMaxPendingBytes; }

void TokenStream::Advance() {
  enum { kNothing, kWrite, kFinish } next = kNothing;
  absl::Status end;
  {
    MutexLock lock(&mutex_);
    if (writing_ || finished_) return;
    if (!pending_.empty() && !cancelled_) {
      in_flight_ = std::move(pending_.front());
      pending_.erase(pending_.begin());
      pending_bytes_ -= std::min(pending_bytes_.load(), in_flight_.ByteSizeLong());
      writing_ = true;
      next = kWrite;
    } else if (end_.has_value()) {
      finished_ = true;
      end = *end_;
      next = kFinish;
    }
  }
  // Whoever set writing_ or finished_ is alone here: nobody else passes the first test above.
  if (next == kWrite) {
    StartWrite(&in_flight_);
    engine_->Wake();  // there is room again
  } else if (next == kFinish) {
    if (absl::IsResourceExhausted(end) || absl::IsUnavailable(end)) {
      rpc::SetRetryAfter(kRetryAfter, context_);
    }
    Finish(rpc::ToGrpc(end));
  }
}

void TokenStream::OnWriteDone(bool ok) {
  {
    MutexLock lock(&mutex_);
    writing_ = false;
  }
  if (ok) {
    Advance();
  } else {
    Abandon();
  }
}

void TokenStream::OnCancel() { Abandon(); }

void TokenStream::Abandon() {
  std::optional<uint64_t> id;
  {
    MutexLock lock(&mutex_);
    cancelled_ = true;
    end_ = absl::CancelledError("the client has left");
    pending_.clear();
    pending_bytes_ = 0;
    id = engine_id_;
  }
  if (id.has_value()) engine_->Cancel(*id);
  Advance();
}

void TokenStream::OnDone() { self_.reset(); }

}  // namespace switchboard::worker
