// Large blocks of memory for weights, KV pages and activations.
#ifndef SWITCHBOARD_WORKER_BACKEND_MEMORY_H_
#define SWITCHBOARD_WORKER_BACKEND_MEMORY_H_

#include <cstddef>
#include <cstdint>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace switchboard::backend {

// Anonymous memory, zero at first, committed when touched, aligned to a page at least; large blocks
// ask for huge pages. Movable, not copyable.
class Memory {
 public:
  // ResourceExhausted names `what` and its size.
  static absl::StatusOr<Memory> Map(int64_t bytes, absl::string_view what);
  Memory() = default;
  ~Memory();
  Memory(Memory&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  Memory& operator=(Memory&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }

  void* data() const { return data_; }
  int64_t bytes() const { return bytes_; }

 private:
  Memory(void* data, int64_t bytes) : data_(data), bytes_(bytes) {}

  void* data_ = nullptr;
  int64_t bytes_ = 0;
};

// Floats that grow and never shrink: one buffer of a forward pass. Grow keeps no content.
class Scratch {
 public:
  // At least `count` floats. CHECK-fails when the memory is not to be had: the memory plan has set
  // it aside.
  float* Grow(int64_t count);
  float* data() const { return static_cast<float*>(memory_.data()); }

 private:
  Memory memory_;
};

}  // namespace switchboard::backend

#endif  // SWITCHBOARD_WORKER_BACKEND_MEMORY_H_
