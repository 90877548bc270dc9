// Norms, activations, rotary and position embedding against the double reference.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "tests/unit/worker/backend/random_rows.h"

namespace switchboard::backend {
namespace {

constexpr int64_t kWidths[] = {1, 7, 15, 16, 17, 31, 48, 192, 200};

// Runs an op on a copy of `x` with both back ends and compares the results, then the instruction
// sets.
void Compare(const OwnedRows& x, double tolerance, const std::function<void(Backend*, Rows)>& run) {
  OwnedRows want = x, got = x, scalar = x, shared = x;
  run(NewReferenceBackend().get(), want.view());
  run(Fast().get(), got.view());
  run(Fast(1, Isa::kScalar).get(), scalar.view());
  run(Fast(3).get(), shared.view());
  ExpectClose(want.values, got.values, tolerance);
  EXPECT_TRUE(SameBits(got.values, scalar.values)) << "width " << x.width;
  EXPECT_TRUE(SameBits(got.values, shared.values)) << "width " << x.width;
}

TEST(RowOpsTest, RmsNormAgreesWithTheReference) {
  for (const int64_t width : kWidths) {
    const std::vector<float> weight = RandomFloats(width, 1);
    Compare(OwnedRows::Random(5, width, 2), 1e-6,
            [&](Backend* b, Rows x) { b->RmsNorm(x, weight, 1e-5f, x); });
  }
}

TEST(RowOpsTest, LayerNormAgreesWithTheReference) {
  for (const int64_t width : kWidths) {
    const std::vector<float> weight = RandomFloats(width, 1), bias = RandomFloats(width, 3);
    Compare(OwnedRows::Random(5, width, 2), 2e-6,
            [&](Backend* b, Rows x) { b->LayerNorm(x, weight, bias, 1e-5f, x); });
  }
}

TEST(RowOpsTest, SiluMulAgreesWithTheReference) {
  for (const int64_t width : kWidths) {
    OwnedRows gate_up = OwnedRows::Random(3, 2 * width, 4);
    for (float& value : gate_up.values) value *= 10;
    Compare(OwnedRows::Zero(3, width), 1e-6,
            [&](Backend* b, Rows y) { b->SiluMul(gate_up.view(), y); });
  }
}

TEST(RowOpsTest, SiluStaysFiniteForLargeGates) {
  OwnedRows gate_up = {{-1e30f, -100.0f, -88.0f, 88.0f, 100.0f, 1e30f, 1, 1, 1, 1, 1, 1}, 1, 12};
  OwnedRows y = OwnedRows::Zero(1, 6);
  Fast()->SiluMul(gate_up.view(), y.view());
  EXPECT_NEAR(y.values[0], 0.0f, 1e-3f);
  EXPECT_NEAR(y.values[1], 0.0f, 1e-30f);
  EXPECT_NEAR(y.values[2], 0.0f, 1e-30f);
  EXPECT_EQ(y.values[3], 88.0f);
  EXPECT_EQ(y.values[4], 100.0f);
  EXPECT_EQ(y.values[5], 1e30f);
}

TEST(RowOpsTest, GeluAgreesWithTheReferenceOverItsWholeRange) {
  OwnedRows x = OwnedRows::Zero(1, 20001);
  for (int64_t i = 0; i < x.width; ++i) {
    x.values[static_cast<size_t>(i)] = static_cast<float>(i - 10000) * 1e-3f;
  }
  OwnedRows want = x, got = x;
  NewReferenceBackend()->GeluErf(want.view());
  Fast()->GeluErf(got.view());
  for (size_t i = 0; i < want.values.size(); ++i) {
    ASSERT_NEAR(want.values[i], got.values[i], 4e-7 * std::max(1.0f, std::abs(x.values[i])))
        << x.values[i];
  }
  for (const int64_t width : kWidths) {
    Compare(OwnedRows::Random(3, width, 5), 1e-6, [](Backend* b, Rows y) { b->GeluErf(y); });
  }
}

// (3, 4) has the mean square 12.5, (1, 0) has 0.5.
TEST(RowOpsTest, RmsNormHeadsNormsTheWantedHeadsAlone) {
  for (const auto& backend : {NewReferenceBackend(), Fast()}) {
    OwnedRows x = {{7, 8, 3, 4, 1, 0, 5, 6}, 1, 8};
    backend->RmsNormHeads(x.view(), 1, 2, {1.0f, 2.0f}, 0.0f);
    const std::vector<float> want = {7, 8, 0.84852814f, 2.26274170f, 1.41421356f, 0, 5, 6};
    for (size_t i = 0; i < want.size(); ++i) EXPECT_FLOAT_EQ(x.values[i], want[i]) << i;
  }
}

TEST(RowOpsTest, RmsNormHeadsAgreesWithTheReference) {
  const std::vector<float> weight = RandomFloats(24, 7);
  Compare(OwnedRows::Random(5, 24 * 6, 3), 1e-6,
          [&](Backend* b, Rows y) { b->RmsNormHeads(y, 2, 3, weight, 1e-6f); });
}

TEST(RowOpsTest, AddAddsEveryRow) {
  OwnedRows x = OwnedRows::Random(4, 33, 1);
  Compare(OwnedRows::Random(4, 33, 2), 1e-7, [&](Backend* b, Rows y) { b->Add(x.view(), y); });
}

TEST(RowOpsTest, CosineAndSineAreRightToTheLastFloatDigitForLargeAngles) {
  std::vector<float> angles = {0.0f, 1e-8f, 0.5f, -0.5f, 3.1415927f, 65535.0f, 999999.0f};
  for (int i = 0; i < 5000; ++i) angles.push_back(static_cast<float>(i) * 13.37f);
  std::vector<float> cosines(angles.size()), sines(angles.size());
  Fast()->CosSin(angles, cosines.data(), sines.data());
  for (size_t i = 0; i < angles.size(); ++i) {
    ASSERT_FLOAT_EQ(cosines[i], static_cast<float>(std::cos(double{angles[i]}))) << angles[i];
    ASSERT_FLOAT_EQ(sines[i], static_cast<float>(std::sin(double{angles[i]}))) << angles[i];
  }
}

// 2 heads of 8, the first of 3 rotated; pairs (0,1) (2,3).
TEST(RowOpsTest, RotateAdjacentTurnsNeighboursAndLeavesTheRest) {
  OwnedRows x = {{1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4, 5, 6, 7, 8}, 1, 16};
  OwnedRows cosines = {{0, 1}, 1, 2}, sines = {{1, 0}, 1, 2};  // a quarter turn, and none
  Fast()->RotateAdjacent(x.view(), 1, 8, cosines.view(), sines.view());
  EXPECT_EQ(x.values, (std::vector<float>{-2, 1, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4, 5, 6, 7, 8}));
}

TEST(RowOpsTest, RotateHalvesTurnsElementsHalfAHeadApart) {
  OwnedRows x = {{1, 2, 3, 4}, 1, 4};
  OwnedRows cosines = {{0, 1}, 1, 2}, sines = {{1, 0}, 1, 2};
  Fast()->RotateHalves(x.view(), 1, 4, cosines.view(), sines.view());
  EXPECT_EQ(x.values, (std::vector<float>{-3, 2, 1, 4}));
}

TEST(RowOpsTest, RotationsAgreeWithTheReference) {
  OwnedRows cosines = OwnedRows::Random(6, 5, 1), sines = OwnedRows::Random(6, 5, 2);
  Compare(OwnedRows::Random(6, 40, 3), 1e-6, [&](Backend* b, Rows x) {
    b->RotateAdjacent(x, 3, 12, cosines.view(), sines.view());
    b->RotateHalves(x, 3, 12, cosines.view(), sines.view());
  });
}

TEST(RowOpsTest, GatherAndScatterMoveRows) {
  OwnedRows x = {{1, 2, 3, 4, 5, 6}, 3, 2};
  OwnedRows y = OwnedRows::Zero(2, 2);
  const std::vector<int32_t> from = {2, 0}, to = {1, 2};
  Fast()->GatherRows(x.view(), from, y.view());
  EXPECT_EQ(y.values, (std::vector<float>{5, 6, 1, 2}));
  Fast()->ScatterRows(y.view(), to, x.view());
  EXPECT_EQ(x.values, (std::vector<float>{1, 2, 5, 6, 1, 2}));
}

// With one sample per cell, bicubic interpolation returns the cells themselves.
TEST(RowOpsTest, BicubicAtTheCellsReturnsTheTable) {
  const std::vector<float> table = RandomFloats(9 * 5, 1);
  OwnedRows y = OwnedRows::Zero(9, 5);
  const std::vector<float> down = {0, 0, 0, 1, 1, 1, 2, 2, 2}, across = {0, 1, 2, 0, 1, 2, 0, 1, 2};
  Fast()->AddBicubic(table, 3, down, across, y.view());
  EXPECT_EQ(y.values, table);
}

TEST(RowOpsTest, BicubicAgreesWithTheReferenceBeyondTheEdges) {
  const std::vector<float> table = RandomFloats(7 * 7 * 3, 1);
  std::vector<float> down, across;
  for (int i = 0; i < 60; ++i) {
    down.push_back(static_cast<float>(i) * 0.13f - 0.6f);
    across.push_back(7.0f - static_cast<float>(i) * 0.11f);
  }
  Compare(OwnedRows::Random(60, 3, 2), 1e-6,
          [&](Backend* b, Rows y) { b->AddBicubic(table, 7, down, across, y); });
}

}  // namespace
}  // namespace switchboard::backend
