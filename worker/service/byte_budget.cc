#include "worker/service/byte_budget.h"

namespace switchboard::worker {

ByteBudget::Share& ByteBudget::Share::operator=(Share&& other) noexcept {
  if (this == &other) return *this;
  ShrinkTo(0);
  budget_ = std::exchange(other.budget_, nullptr);
  bytes_ = std::exchange(other.bytes_, 0);
  return *this;
}

void ByteBudget::Share::ShrinkTo(int64_t bytes) {
  if (bytes >= bytes_) return;
  budget_->GiveBack(bytes_ - bytes);
  bytes_ = bytes;
}

absl::StatusOr<ByteBudget::Share> ByteBudget::Take(int64_t bytes) {
  MutexLock lock(&mutex_);
  if (taken_ > 0 && bytes > limit_ - taken_) {
    return absl::ResourceExhaustedError(
        "the memory for images is taken by other requests; try again later");
  }
  taken_ += bytes;
  return Share(this, bytes);
}

int64_t ByteBudget::taken() const {
  MutexLock lock(&mutex_);
  return taken_;
}

void ByteBudget::GiveBack(int64_t bytes) {
  MutexLock lock(&mutex_);
  taken_ -= bytes;
}

}  // namespace switchboard::worker
