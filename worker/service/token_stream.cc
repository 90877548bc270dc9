#include "worker/service/token_stream.h"

#include <utility>

#include "rpc/status.h"

namespace switchboard::worker {
namespace {

// Enough for some hundred tokens with twenty log-probabilities each.
constexpr size_t kMaxPendingBytes = 64 << 10;
constexpr absl::Duration kRetryAfter = absl::Seconds(1);

// About the size on the wire, from counts alone: exact sizes would have every token go over all
// that wait.
size_t RoughBytes(const v1::GenerateEvent& event) {
  constexpr size_t kMessage = 64, kId = 4, kLogprobs = 12, kTop = 8;
  const v1::Tokens& tokens = event.tokens();  // an empty one for other events
  const size_t tops =
      tokens.logprobs().empty() ? 0 : static_cast<size_t>(tokens.logprobs(0).top_ids_size());
  return kMessage + static_cast<size_t>(tokens.ids_size()) * kId +
         static_cast<size_t>(tokens.logprobs_size()) * (kLogprobs + tops * kTop);
}

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

bool TokenStream::abandoned() const {
  MutexLock lock(&mutex_);
  return cancelled_;
}

void TokenStream::HoldMemory(ByteBudget::Share share, int64_t after_encoding) {
  MutexLock lock(&mutex_);
  memory_ = std::move(share);
  memory_after_encoding_ = after_encoding;
}

void TokenStream::Submit(engine::Request request) {
  // A reference of its own: the call may end, and self_ go, while this runs.
  const std::shared_ptr<TokenStream> keep = shared_from_this();
  bool left;
  {
    MutexLock lock(&mutex_);
    handed_over_ = true;
    left = cancelled_;
    unfinished_choices_ = request.choices;
    with_logprobs_ = request.sampling.logprobs;
  }
  if (left) return Advance();
  absl::StatusOr<uint64_t> id = engine_->Submit(std::move(request), keep);
  if (!id.ok()) return Refuse(id.status());
  {
    MutexLock lock(&mutex_);
    engine_id_ = *id;
    left = cancelled_;
  }
  if (left) engine_->Cancel(*id);
}

void TokenStream::Refuse(const absl::Status& status) {
  {
    MutexLock lock(&mutex_);
    handed_over_ = true;
    if (!end_.has_value()) end_ = status;
  }
  Advance();
}

void TokenStream::OnEvent(engine::Event event) {
  {
    MutexLock lock(&mutex_);
    if (cancelled_) return;
    if (const auto* failed = std::get_if<engine::FailedEvent>(&event)) {
      if (!end_.has_value()) end_ = failed->status;
    } else {
      Append(event);
    }
  }
  Advance();
}

void TokenStream::Append(const engine::Event& event) {
  const size_t count = pending_.size();
  if (count > 0) pending_bytes_ -= RoughBytes(pending_.back());  // the one that may grow
  AppendEvent(event, *identity_, with_logprobs_, &pending_);
  if (pending_.size() > count && count > 0) pending_bytes_ += RoughBytes(pending_[count - 1]);
  pending_bytes_ += RoughBytes(pending_.back());
  if (std::holds_alternative<engine::TokenEvent>(event)) memory_.ShrinkTo(memory_after_encoding_);
  if (std::holds_alternative<engine::FinishedEvent>(event) && --unfinished_choices_ == 0 &&
      !end_.has_value()) {
    end_ = absl::OkStatus();
  }
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
      pending_bytes_ -= RoughBytes(in_flight_);
      writing_ = true;
      next = kWrite;
    } else if (end_.has_value() && handed_over_) {
      finished_ = true;
      end = *end_;
      next = kFinish;
    }
  }
  // Whoever set writing_ or finished_ is alone here: nobody else passes the first test above.
  if (next == kWrite) {
    StartWrite(&in_flight_);
  } else if (next == kFinish) {
    if (absl::IsResourceExhausted(end) || absl::IsUnavailable(end)) {
      rpc::SetRetryAfter(kRetryAfter, context_);
    }
    Finish(rpc::ToGrpc(end));
  }
}

void TokenStream::OnWriteDone(bool ok) {
  bool held;
  {
    MutexLock lock(&mutex_);
    writing_ = false;
    held = !ReadyForMore();
  }
  if (!ok) return Abandon();
  // Room comes only from a write that follows this one, or from one that the engine's own thread
  // has started meanwhile; that thread needs no waking.
  Advance();
  if (held && ReadyForMore()) engine_->Wake();
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
