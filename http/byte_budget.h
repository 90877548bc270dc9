// A bound on memory that many connections share.
#ifndef SWITCHBOARD_HTTP_BYTE_BUDGET_H_
#define SWITCHBOARD_HTTP_BYTE_BUDGET_H_

#include <atomic>
#include <cstddef>

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

// One holder's share of a budget, given back on destruction. Not thread-safe.
class ByteShare {
 public:
  explicit ByteShare(ByteBudget* budget) : budget_(budget) {}
  ~ByteShare() { budget_->GiveBack(held_); }
  ByteShare(const ByteShare&) = delete;
  ByteShare& operator=(const ByteShare&) = delete;

  // Holds at least `bytes` from now on; false when the budget does not have them.
  bool GrowTo(size_t bytes) {
    if (bytes <= held_) return true;
    if (!budget_->Take(bytes - held_)) return false;
    held_ = bytes;
    return true;
  }

 private:
  ByteBudget* const budget_;
  size_t held_ = 0;
};

}  // namespace switchboard::http

#endif  // SWITCHBOARD_HTTP_BYTE_BUDGET_H_
