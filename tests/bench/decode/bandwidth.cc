#include "tests/bench/decode/bandwidth.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <vector>

#include "base/check.h"
#include "worker/backend/cpu/team.h"
#include "worker/backend/memory.h"

namespace switchboard::bench {
namespace {

constexpr int64_t kBufferBytes = int64_t{1} << 30;
constexpr int64_t kLineBytes = 64, kBlockLines = 4;
constexpr int64_t kAheadBytes = 4096;
constexpr int kPasses = 6;

using Vector = uint64_t __attribute__((vector_size(16)));

// Reads every byte of lines [begin, end) of blocks of four cache lines.
uint64_t Sweep(const char* data, int64_t begin, int64_t end) {
  constexpr int kVectors = kBlockLines * kLineBytes / sizeof(Vector);
  Vector sums[4] = {};
  for (int64_t block = begin; block < end; ++block) {
    const char* at = data + block * kBlockLines * kLineBytes;
    for (int64_t line = 0; line < kBlockLines; ++line) {
      __builtin_prefetch(at + kAheadBytes + line * kLineBytes);
    }
    const Vector* vectors = reinterpret_cast<const Vector*>(at);
    for (int i = 0; i < kVectors; ++i) sums[i % 4] += vectors[i];
  }
  const Vector sum = sums[0] + sums[1] + sums[2] + sums[3];
  return sum[0] + sum[1];
}

}  // namespace

double ReadBandwidth(int threads) {
  absl::StatusOr<backend::Memory> memory = backend::Memory::Map(kBufferBytes, "the sweep");
  CHECK(memory.ok());
  std::memset(memory->data(), 1, kBufferBytes);
  backend::Team team(threads);
  const int64_t blocks = kBufferBytes / (kBlockLines * kLineBytes);
  double best = 0;
  for (int pass = 0; pass < kPasses; ++pass) {
    const auto start = std::chrono::steady_clock::now();
    team.Run(blocks, kBufferBytes, [&](int64_t begin, int64_t end) {
      volatile uint64_t sink = Sweep(static_cast<const char*>(memory->data()), begin, end);
      (void)sink;
    });
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    best = std::max(best, kBufferBytes / seconds.count());
  }
  return best;
}

}  // namespace switchboard::bench
