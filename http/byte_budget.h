// A bound on memory that many connections share.
#ifndef SWITCHBOARD_HTTP_BYTE_BUDGET_H_
#define SWITCHBOARD_HTTP_BYTE_BUDGET_H_

#include <atomic>
#include <cstddef>
#include <memory>
#include <utility>

namespace switchboard::http {

// Thread-safe.
class ByteBudget {
 public:
  explicit ByteBudget(size_t limit) : limit_(limit) {}

  // Takes `bytes`, unless the limit would be passed.
  bool Take(size_t bytes) {
    if (taken_.fetch_add(bytes) + bytes <= limit_) return true;
    taken_.fetch_sub(bytes);
    return false;
  }
  void GiveBack(size_t bytes) { taken_.fetch_sub(bytes); }
  size_t taken() const { return taken_.load(); }

 private:
  const size_t limit_;
  std::atomic<size_t> taken_{0};
};

// One holder's share of a budget, given back on destruction, which may come after that of whoever
// made the budget. Not thread-safe, but may be handed from thread to thread.
class ByteShare {
 public:
  // Of no budget: nothing is held, nothing can be.
  ByteShare() = default;
  explicit ByteShare(std::shared_ptr<ByteBudget> budget) : budget_(std::move(budget)) {}
  ~ByteShare() { GiveBack(); }
  ByteShare(ByteShare&& other) noexcept
      : budget_(std::move(other.budget_)), held_(std::exchange(other.held_, 0)) {}
  ByteShare& operator=(ByteShare&& other) noexcept {
    if (this == &other) return *this;
    GiveBack();
    budget_ = std::move(other.budget_);
    held_ = std::exchange(other.held_, 0);
    return *this;
  }

  // Holds at least `bytes` from now on; false when the budget does not have them.
  bool GrowTo(size_t bytes) {
    if (bytes <= held_) return true;
    if (budget_ == nullptr || !budget_->Take(bytes - held_)) return false;
    held_ = bytes;
    return true;
  }

  // Holds nothing any more, at once.
  void GiveBack() {
    if (budget_ != nullptr) budget_->GiveBack(std::exchange(held_, 0));
  }
  size_t held() const { return held_; }

 private:
  std::shared_ptr<ByteBudget> budget_;
  size_t held_ = 0;
};

}  // namespace switchboard::http

#endif  // SWITCHBOARD_HTTP_BYTE_BUDGET_H_
