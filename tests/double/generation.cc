#include "tests/double/generation.h"

#include <utility>

#include "absl/time/clock.h"
#include "base/clock.h"
#include "rpc/status.h"
#include "tests/double/card.h"

namespace switchboard::doubles {

Generation::Generation(const GenerationHost* host, uint64_t id, const v1::GenerateRequest& request,
                       absl::Duration interval, const Faults& faults)
    : host_(host),
      id_(id),
      choices_(request.choices()),
      max_tokens_(request.sampling().max_tokens()),
      interval_(interval),
      faults_(faults) {}

void Generation::Begin() {
  self_ = shared_from_this();
  if (faults_.refuse.has_value()) {
    return End(rpc::ToGrpc(absl::Status(*faults_.refuse, "refused as asked")));
  }
  const std::weak_ptr<Generation> weak = self_;
  const absl::Status entered = host_->load->Enter(id_, choices_, [weak] {
    if (const auto generation = weak.lock(); generation != nullptr) generation->Accept();
  });
  if (!entered.ok()) End(rpc::ToGrpc(entered));
}

void Generation::Accept() {
  {
    MutexLock lock(&mutex_);
    accepted_ = true;
    hung_ = faults_.hang;
    if (!hung_) {
      v1::Accepted* accepted = waiting_.emplace_back().mutable_accepted();
      accepted->set_worker(host_->worker);
      accepted->set_fingerprint(host_->fingerprint);
    }
    due_ = SystemClock().Monotonic() + interval_;
  }
  Advance();
}

void Generation::End(grpc::Status status) {
  {
    MutexLock lock(&mutex_);
    if (finish_.has_value()) return;
    finish_ = std::move(status);
    waiting_.clear();
  }
  Advance();
}

bool Generation::Strike() {
  if (faults_.die_after == sent_) host_->die();
  if (faults_.hang_after == sent_) hung_ = true;
  if (faults_.break_after == sent_) {
    finish_ = grpc::Status(grpc::StatusCode::UNAVAILABLE, "broken off as asked");
  }
  if (faults_.fail_after == sent_) {
    finish_ = grpc::Status(grpc::StatusCode::INTERNAL, "failed as asked");
  }
  return hung_ || finish_.has_value();
}

void Generation::ProduceStep() {
  if (Strike()) return;
  const int32_t stamp = StampAt(absl::Now());
  const int32_t position =
      sent_ + (faults_.gap_after.has_value() && sent_ >= *faults_.gap_after ? 1 : 0);
  for (int32_t choice = 0; choice < choices_; ++choice) {
    v1::Tokens* tokens = waiting_.emplace_back().mutable_tokens();
    tokens->set_choice(choice);
    tokens->set_position(position);
    tokens->add_ids(stamp);
    host_->load->CountToken();
  }
  if (++sent_ < max_tokens_) return;
  for (int32_t choice = 0; choice < choices_; ++choice) {
    v1::Finished* finished = waiting_.emplace_back().mutable_finished();
    finished->set_choice(choice);
    finished->set_reason(v1::Finished::REASON_LENGTH);
    finished->set_completion_tokens(max_tokens_);
  }
  finish_ = grpc::Status::OK;
}

void Generation::Produce() {
  if (!accepted_ || hung_ || finish_.has_value() || !waiting_.empty()) return;
  if (interval_ > absl::ZeroDuration() && SystemClock().Monotonic() < due_) return WakeAt(due_);
  due_ += interval_;
  ProduceStep();
}

void Generation::WakeAt(absl::Duration when) {
  host_->ticker->At(when, [weak = weak_from_this()] {
    if (const auto generation = weak.lock(); generation != nullptr) generation->Advance();
  });
}

void Generation::Advance() {
  std::optional<grpc::Status> finish;
  {
    MutexLock lock(&mutex_);
    if (busy_) return;
    Produce();
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
  if (finish.has_value()) {
    // Before the client can know: its next request finds the place free.
    host_->load->Leave(id_);
    Finish(*finish);
  } else {
    StartWrite(&writing_);
  }
}

void Generation::OnWriteDone(bool ok) {
  {
    MutexLock lock(&mutex_);
    busy_ = false;
  }
  if (!ok) End(grpc::Status::CANCELLED);
  Advance();
}

void Generation::OnCancel() { End(grpc::Status::CANCELLED); }

void Generation::OnDone() { const std::shared_ptr<Generation> last = std::move(self_); }

}  // namespace switchboard::doubles
