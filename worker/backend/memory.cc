#include "worker/backend/memory.h"

#include <sys/mman.h>

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "base/check.h"

namespace switchboard::backend {
namespace {

constexpr int64_t kHugePageBytes = 2 << 20;

}  // namespace

absl::StatusOr<Memory> Memory::Map(int64_t bytes, absl::string_view what) {
  CHECK(bytes >= 0);
  const int64_t rounded = std::max<int64_t>(bytes, 1);
  void* data = ::mmap(nullptr, static_cast<size_t>(rounded), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (data == MAP_FAILED) {
    return absl::ResourceExhaustedError(
        absl::StrCat("no memory for ", what, " (", bytes >> 20, " MiB)"));
  }
  // Advice only: without huge pages it is slower, not wrong.
  if (rounded >= kHugePageBytes) ::madvise(data, static_cast<size_t>(rounded), MADV_HUGEPAGE);
  return Memory(data, rounded);
}

Memory::~Memory() {
  if (data_ != nullptr) ::munmap(data_, static_cast<size_t>(bytes_));
}

float* Scratch::Grow(int64_t count) {
  const int64_t bytes = count * static_cast<int64_t>(sizeof(float));
  if (bytes > memory_.bytes()) {
    absl::StatusOr<Memory> grown = Memory::Map(bytes + bytes / 4, "activations");
    CHECK(grown.ok());
    memory_ = *std::move(grown);
  }
  return data();
}

}  // namespace switchboard::backend
