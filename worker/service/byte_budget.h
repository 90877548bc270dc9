// A bound on the memory that requests in flight take together.
#ifndef SWITCHBOARD_WORKER_SERVICE_BYTE_BUDGET_H_
#define SWITCHBOARD_WORKER_SERVICE_BYTE_BUDGET_H_

#include <cstdint>
#include <utility>

#include "absl/status/statusor.h"
#include "base/mutex.h"

namespace switchboard::worker {

// Thread-safe. Must outlive the shares taken from it.
class ByteBudget {
 public:
  // Bytes taken from a budget; gives them back when it is destroyed. Not thread-safe.
  class Share {
   public:
    Share() = default;
    Share(ByteBudget* budget, int64_t bytes) : budget_(budget), bytes_(bytes) {}
    Share(Share&& other) noexcept
        : budget_(std::exchange(other.budget_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
    Share& operator=(Share&& other) noexcept;
    ~Share() { ShrinkTo(0); }

    // Gives back what is held beyond `bytes`.
    void ShrinkTo(int64_t bytes);
    int64_t bytes() const { return bytes_; }

   private:
    ByteBudget* budget_ = nullptr;
    int64_t bytes_ = 0;
  };

  explicit ByteBudget(int64_t limit) : limit_(limit) {}

  // ResourceExhausted when the limit would be passed. Whoever comes while nothing is taken gets any
  // amount: else a request above the limit could never be served.
  absl::StatusOr<Share> Take(int64_t bytes);

  int64_t taken() const;

 private:
  void GiveBack(int64_t bytes);

  const int64_t limit_;
  mutable Mutex mutex_;
  int64_t taken_ GUARDED_BY(mutex_) = 0;
};

}  // namespace switchboard::worker

#endif  // SWITCHBOARD_WORKER_SERVICE_BYTE_BUDGET_H_
