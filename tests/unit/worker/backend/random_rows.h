// Random activations and weights for tests of the ops, and comparisons of results.
#ifndef SWITCHBOARD_TESTS_UNIT_WORKER_BACKEND_RANDOM_ROWS_H_
#define SWITCHBOARD_TESTS_UNIT_WORKER_BACKEND_RANDOM_ROWS_H_

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <memory>
#include <random>
#include <vector>

#include "worker/backend/cpu/cpu_backend.h"
#include "worker/backend/cpu/reference/reference_backend.h"
#include "worker/backend/half.h"
#include "worker/backend/ops.h"

namespace switchboard::backend {

// Normally distributed floats; the same for the same seed.
inline std::vector<float> RandomFloats(int64_t count, uint32_t seed, float deviation = 1.0f) {
  std::mt19937 bits(seed);
  std::normal_distribution<float> normal(0.0f, deviation);
  std::vector<float> values(static_cast<size_t>(count));
  for (float& value : values) value = normal(bits);
  return values;
}

// Rows that own their floats.
struct OwnedRows {
  std::vector<float> values;
  int64_t rows, width;

  static OwnedRows Random(int64_t rows, int64_t width, uint32_t seed) {
    return {RandomFloats(rows * width, seed), rows, width};
  }
  static OwnedRows Zero(int64_t rows, int64_t width) {
    return {std::vector<float>(static_cast<size_t>(rows * width)), rows, width};
  }
  Rows view() { return {values.data(), rows, width}; }
};

// A tensor with its own bytes, in any of the storage formats.
struct OwnedTensor {
  std::vector<char> bytes;
  DType dtype;
  std::vector<int64_t> shape;

  static OwnedTensor Random(int64_t rows, int64_t columns, DType dtype, uint32_t seed) {
    const std::vector<float> values = RandomFloats(rows * columns, seed, 0.2f);
    OwnedTensor tensor = {{}, dtype, {rows, columns}};
    tensor.bytes.resize(values.size() * static_cast<size_t>(BytesOf(dtype)));
    std::mt19937 bits(seed);
    for (size_t i = 0; i < values.size(); ++i) {
      if (dtype == DType::kF32) {
        std::memcpy(&tensor.bytes[4 * i], &values[i], 4);
        continue;
      }
      // Any f16 with an exponent of 0 (subnormals too) to 15 will do.
      const uint16_t half =
          dtype == DType::kBf16 ? FloatToBf16(values[i]) : static_cast<uint16_t>(bits() & 0xbfffu);
      std::memcpy(&tensor.bytes[2 * i], &half, 2);
    }
    return tensor;
  }
  TensorView view() const { return {dtype, shape, bytes.data()}; }
};

inline std::unique_ptr<Backend> Fast(int threads = 1, Isa isa = DetectIsa()) {
  return NewCpuBackend(threads, isa);
}

// Every value within `tolerance` of the reference, relative to the largest of it (at least 1).
inline void ExpectClose(const std::vector<float>& want, const std::vector<float>& got,
                        double tolerance) {
  ASSERT_EQ(want.size(), got.size());
  double largest = 1;
  for (const float value : want) largest = std::max(largest, std::abs(double{value}));
  for (size_t i = 0; i < want.size(); ++i) {
    ASSERT_NEAR(want[i], got[i], tolerance * largest) << "at " << i;
  }
}

inline bool SameBits(const float* a, const float* b, int64_t count) {
  return std::memcmp(a, b, static_cast<size_t>(count) * sizeof(float)) == 0;
}
inline bool SameBits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && SameBits(a.data(), b.data(), static_cast<int64_t>(a.size()));
}

}  // namespace switchboard::backend

#endif  // SWITCHBOARD_TESTS_UNIT_WORKER_BACKEND_RANDOM_ROWS_H_
