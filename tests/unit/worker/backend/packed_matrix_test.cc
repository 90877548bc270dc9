// The packed layout and the 16-bit formats.
#include "worker/backend/cpu/packed_matrix.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/unit/worker/backend/random_rows.h"

namespace switchboard::backend {
namespace {

TEST(HalfTest, Bf16RoundsToNearestEven) {
  EXPECT_EQ(FloatToBf16(1.0f), 0x3f80);
  EXPECT_EQ(FloatToBf16(1.0f + 0x1p-8f), 0x3f80);            // a tie: down to even
  EXPECT_EQ(FloatToBf16(1.0f + 0x1p-7f + 0x1p-8f), 0x3f82);  // a tie: up to even
  EXPECT_EQ(FloatToBf16(1.0f + 0x1p-8f + 0x1p-20f), 0x3f81);
  EXPECT_EQ(FloatToBf16(-std::numeric_limits<float>::infinity()), 0xff80);
  EXPECT_TRUE(std::isnan(Bf16ToFloat(FloatToBf16(std::nanf("")))));
  // A NaN whose payload lies in the lower half only stays one.
  EXPECT_TRUE(std::isnan(Bf16ToFloat(FloatToBf16(std::bit_cast<float>(0x7f800001u)))));
}

TEST(HalfTest, F16WidensEveryKindOfNumber) {
  EXPECT_EQ(F16ToFloat(0x3c00), 1.0f);
  EXPECT_EQ(F16ToFloat(0xc000), -2.0f);
  EXPECT_EQ(F16ToFloat(0x7bff), 65504.0f);
  EXPECT_EQ(F16ToFloat(0x0001), 0x1p-24f);
  EXPECT_EQ(F16ToFloat(0x83ff), -1023 * 0x1p-24f);
  EXPECT_EQ(F16ToFloat(0x0400), 0x1p-14f);
  EXPECT_TRUE(std::signbit(F16ToFloat(0x8000)));
  EXPECT_TRUE(std::isinf(F16ToFloat(0x7c00)));
  EXPECT_TRUE(std::isnan(F16ToFloat(0x7e00)));
}

TEST(PackedMatrixTest, RowsComeBackAsTheyWentIn) {
  Team team(2);
  for (const DType dtype : {DType::kF32, DType::kBf16, DType::kF16}) {
    const OwnedTensor tensor = OwnedTensor::Random(37, 11, dtype, 1);
    const auto packed = PackedMatrix::Pack({tensor.view()}, dtype, &team);
    const std::vector<float> want = ToFloats(tensor.view());
    std::vector<float> row(11);
    for (int64_t i = 0; i < 37; ++i) {
      (*packed)->CopyRow(i, row.data());
      EXPECT_TRUE(SameBits(row.data(), &want[static_cast<size_t>(i * 11)], 11)) << i;
    }
  }
}

TEST(PackedMatrixTest, ConvertsToBf16ByRounding) {
  Team team(1);
  const OwnedTensor tensor = OwnedTensor::Random(3, 5, DType::kF32, 1);
  const auto packed = PackedMatrix::Pack({tensor.view()}, DType::kBf16, &team);
  std::vector<float> row(5);
  const std::vector<float> want = ToFloats(tensor.view());
  (*packed)->CopyRow(2, row.data());
  for (int64_t i = 0; i < 5; ++i) {
    EXPECT_EQ(row[static_cast<size_t>(i)],
              Bf16ToFloat(FloatToBf16(want[static_cast<size_t>(10 + i)])));
  }
}

TEST(PackedMatrixTest, EmbedsRowsByIdOfAnOddTable) {
  const OwnedTensor table = OwnedTensor::Random(517, 24, DType::kBf16, 1);
  const std::vector<int32_t> ids = {516, 0, 15, 16, 516};
  std::vector<std::vector<float>> results;
  for (const auto& backend : {NewReferenceBackend(), Fast()}) {
    OwnedRows y = OwnedRows::Zero(5, 24);
    backend->Embed(**backend->NewMatrix({table.view()}, DType::kBf16), ids, y.view());
    results.push_back(y.values);
  }
  EXPECT_TRUE(SameBits(results[0], results[1]));
}

}  // namespace
}  // namespace switchboard::backend
