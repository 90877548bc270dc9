// A row's bits do not depend on its neighbours, on threads or on how the rows are divided.
#include <gtest/gtest.h>

#include "tests/unit/worker/backend/random_rows.h"

namespace switchboard::backend {
namespace {

constexpr int64_t kRows = 67, kDepth = 300, kColumns = 210;

TEST(InvarianceTest, LinearRowIsTheSameAloneAndInAnyBatch) {
  const OwnedTensor weights = OwnedTensor::Random(kColumns, kDepth, DType::kBf16, 1);
  const auto backend = Fast();
  const auto matrix = *backend->NewMatrix({weights.view()}, DType::kBf16);
  OwnedRows x = OwnedRows::Random(kRows, kDepth, 2);
  OwnedRows whole = OwnedRows::Zero(kRows, kColumns), part = whole;
  backend->Linear(x.view(), *matrix, {}, whole.view());
  for (const int64_t size : {1, 2, 3, 4, 5, 6, 7, 50}) {
    for (int64_t first = 0; first < kRows; first += size) {
      const int64_t count = std::min(size, kRows - first);
      backend->Linear(x.view().slice(first, count), *matrix, {}, part.view().slice(first, count));
    }
    EXPECT_TRUE(SameBits(whole.values, part.values)) << size << " rows at a time";
  }
}

TEST(InvarianceTest, LinearIsTheSameForAnyNumberOfThreads) {
  const OwnedTensor weights = OwnedTensor::Random(kColumns, kDepth, DType::kF32, 1);
  OwnedRows x = OwnedRows::Random(kRows, kDepth, 2);
  std::vector<float> want;
  for (const int threads : {1, 2, 3, 4, 7, 16}) {
    for (const int64_t rows : {int64_t{1}, kRows}) {
      const auto backend = Fast(threads);
      const auto matrix = *backend->NewMatrix({weights.view()}, DType::kF32);
      OwnedRows y = OwnedRows::Zero(kRows, kColumns);
      for (int64_t first = 0; first < kRows; first += rows) {
        backend->Linear(x.view().slice(first, rows), *matrix, {}, y.view().slice(first, rows));
      }
      if (want.empty()) want = y.values;
      EXPECT_TRUE(SameBits(want, y.values)) << threads << " threads, " << rows << " rows";
    }
  }
}

TEST(InvarianceTest, PermutingSequencesPermutesTheResults) {
  const HeadShape shape = {6, 2, 16};
  const auto backend = Fast(2);
  const auto kv = *backend->NewKvPages(shape, 1, 8);
  OwnedRows qkv = OwnedRows::Random(90, shape.qkv_width(), 1);
  OwnedRows y = OwnedRows::Zero(90, shape.q_width());
  const std::vector<int32_t> a = {0, 1}, b = {2}, c = {3, 4};
  const std::vector<SequenceRows> order = {{0, 70, 0, a}, {70, 15, 0, b}, {85, 5, 0, c}};
  const std::vector<SequenceRows> other = {order[2], order[0], order[1]};
  backend->WriteKv(qkv.view(), shape, order, 0, kv.get());
  backend->PagedAttention(qkv.view(), shape, order, 0, *kv, y.view());
  const std::vector<float> want = y.values;
  backend->PagedAttention(qkv.view(), shape, other, 0, *kv, y.view());
  EXPECT_TRUE(SameBits(want, y.values));
}

}  // namespace
}  // namespace switchboard::backend
