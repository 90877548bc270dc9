// Linear layers against the double reference, in every storage format and many shapes.
#include <gtest/gtest.h>

#include <string>
#include <tuple>

#include "absl/strings/str_cat.h"
#include "tests/unit/worker/backend/random_rows.h"

namespace switchboard::backend {
namespace {

struct Shape {
  int64_t columns, depth;
};

class LinearTest : public testing::TestWithParam<std::tuple<DType, Shape>> {};

OwnedRows Multiply(Backend* backend, const OwnedTensor& weights, OwnedRows x,
                   const std::vector<float>& bias) {
  OwnedRows y = OwnedRows::Zero(x.rows, weights.shape[0]);
  const auto matrix = backend->NewMatrix({weights.view()}, weights.dtype);
  backend->Linear(x.view(), **matrix, bias, y.view());
  return y;
}

TEST_P(LinearTest, AgreesWithTheDoubleReferenceForOneToSeventeenRows) {
  const auto [dtype, shape] = GetParam();
  const OwnedTensor weights = OwnedTensor::Random(shape.columns, shape.depth, dtype, 1);
  const std::vector<float> bias = RandomFloats(shape.columns, 2);
  for (int64_t rows = 1; rows <= 17; ++rows) {
    const OwnedRows x = OwnedRows::Random(rows, shape.depth, 3);
    const OwnedRows want = Multiply(NewReferenceBackend().get(), weights, x, bias);
    ExpectClose(want.values, Multiply(Fast().get(), weights, x, bias).values, 2e-6);
  }
}

TEST_P(LinearTest, WorksWithoutBias) {
  const auto [dtype, shape] = GetParam();
  const OwnedTensor weights = OwnedTensor::Random(shape.columns, shape.depth, dtype, 4);
  const OwnedRows x = OwnedRows::Random(3, shape.depth, 5);
  const OwnedRows want = Multiply(NewReferenceBackend().get(), weights, x, {});
  ExpectClose(want.values, Multiply(Fast().get(), weights, x, {}).values, 2e-6);
}

TEST_P(LinearTest, ScalarAndAvx2GiveTheSameBits) {
  if (DetectIsa() == Isa::kScalar) GTEST_SKIP() << "this processor has no AVX2";
  const auto [dtype, shape] = GetParam();
  const OwnedTensor weights = OwnedTensor::Random(shape.columns, shape.depth, dtype, 6);
  const std::vector<float> bias = RandomFloats(shape.columns, 7);
  for (const int64_t rows : {1, 2, 3, 4, 5, 6, 7, 13}) {
    const OwnedRows x = OwnedRows::Random(rows, shape.depth, 8);
    EXPECT_TRUE(SameBits(Multiply(Fast(1, Isa::kScalar).get(), weights, x, bias).values,
                         Multiply(Fast(1, Isa::kAvx2).get(), weights, x, bias).values))
        << rows << " rows";
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, LinearTest,
                         testing::Combine(testing::Values(DType::kF32, DType::kBf16, DType::kF16),
                                          testing::Values(Shape{1, 1}, Shape{5, 3}, Shape{16, 16},
                                                          Shape{17, 31}, Shape{64, 100},
                                                          Shape{100, 64}, Shape{129, 257})),
                         [](const auto& test) {
                           const Shape shape = std::get<1>(test.param);
                           return absl::StrCat(NameOf(std::get<0>(test.param)), "_", shape.columns,
                                               "x", shape.depth);
                         });

TEST(LinearTest, StacksBlocksOfDifferentFormats) {
  const OwnedTensor a = OwnedTensor::Random(19, 24, DType::kBf16, 1);
  const OwnedTensor b = OwnedTensor::Random(7, 24, DType::kF16, 2);
  OwnedRows x = OwnedRows::Random(2, 24, 3);
  std::vector<std::vector<float>> results;
  for (const auto& backend : {NewReferenceBackend(), Fast()}) {
    OwnedRows y = OwnedRows::Zero(2, 26);
    const auto matrix = backend->NewMatrix({a.view(), b.view()}, DType::kF32);
    backend->Linear(x.view(), **matrix, {}, y.view());
    results.push_back(y.values);
  }
  ExpectClose(results[0], results[1], 2e-6);
}

TEST(LinearTest, NanInARowLeavesTheOtherRowsAlone) {
  const OwnedTensor weights = OwnedTensor::Random(40, 50, DType::kBf16, 1);
  OwnedRows clean = OwnedRows::Random(7, 50, 2);
  OwnedRows spoilt = clean;
  spoilt.view().row(3)[10] = std::nanf("");
  const OwnedRows want = Multiply(Fast().get(), weights, clean, {});
  const OwnedRows got = Multiply(Fast().get(), weights, spoilt, {});
  for (int64_t row = 0; row < 7; ++row) {
    const bool same = SameBits(&want.values[static_cast<size_t>(row * 40)],
                               &got.values[static_cast<size_t>(row * 40)], 40);
    EXPECT_EQ(same, row != 3) << row;
  }
}

}  // namespace
}  // namespace switchboard::backend
