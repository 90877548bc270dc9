// Blocks computed by hand, and how they get into matrices. Every format against its reference: see
// ../model/gguf_test.cc.
#include "worker/backend/quant.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "worker/backend/cpu/packed_matrix.h"
#include "worker/backend/cpu/team.h"
#include "worker/backend/half.h"

namespace switchboard::backend {
namespace {

constexpr char kHalf[] = "\x00\x38";      // 0.5 as fp16
constexpr char kMinusTwo[] = "\x00\xc0";  // -2

std::string Scale(const char* bytes) { return std::string(bytes, 2); }

std::vector<float> Widened(const std::string& name, const std::string& block) {
  const BlockFormat* format = FindBlockFormat(name);
  EXPECT_EQ(static_cast<size_t>(format->bytes), block.size());
  std::vector<float> values(static_cast<size_t>(format->values));
  format->widen(block.data(), values.data());
  return values;
}

TEST(QuantTest, FormatsAreFoundByTheirNames) {
  EXPECT_EQ(FindBlockFormat("Q4_K")->values, 256);
  EXPECT_EQ(FindBlockFormat("F32"), nullptr);
  EXPECT_EQ(FindBlockFormat("Q5_0"), nullptr);
  EXPECT_EQ(FindBlockFormat(""), nullptr);
}

TEST(QuantTest, Q8_0IsScaleTimesSignedByte) {
  std::string block = Scale(kHalf) + std::string(32, '\0');
  block[2] = 127;
  block[33] = -128;
  const std::vector<float> values = Widened("Q8_0", block);
  EXPECT_EQ(values[0], 63.5f);
  EXPECT_EQ(values[1], 0.0f);
  EXPECT_EQ(values[31], -64.0f);
}

TEST(QuantTest, Q4_0CountsFromMinusEightLowHalvesFirst) {
  std::string block = Scale(kHalf) + std::string(16, '\x88');
  block[2] = '\xf0';
  const std::vector<float> values = Widened("Q4_0", block);
  EXPECT_EQ(values[0], -4.0f);
  EXPECT_EQ(values[16], 3.5f);
  EXPECT_EQ(values[1], 0.0f);
  EXPECT_EQ(values[31], 0.0f);
}

TEST(QuantTest, Q4_1AddsAMinimum) {
  std::string block = Scale(kHalf) + Scale(kMinusTwo) + std::string(16, '\0');
  block[4 + 15] = '\xf3';
  const std::vector<float> values = Widened("Q4_1", block);
  EXPECT_EQ(values[0], -2.0f);
  EXPECT_EQ(values[15], -0.5f);
  EXPECT_EQ(values[31], 5.5f);
}

// Two heads of two rows, stored 0, 1 each (with one pair, the two orders are the same), and four
// rows as one head, stored 0, 2, 1, 3.
TEST(QuantTest, MatricesHoldTheRowsWidenedAndInOrder) {
  std::string bytes;
  for (const char value : {0, 2, 1, 3}) bytes += Scale(kHalf) + std::string(32, value);
  Team team(2);
  for (const int64_t head : {2, 4}) {
    const TensorView view = {DType::kF32, {4, 32}, bytes.data(), FindBlockFormat("Q8_0"), head};
    for (const DType storage : {DType::kF32, DType::kBf16}) {
      const auto packed = PackedMatrix::Pack({view}, storage, &team);
      std::vector<float> row(32);
      for (int64_t i = 0; i < 4; ++i) {
        (*packed)->CopyRow(i, row.data());
        const int64_t stored = head == 4 ? i : (i == 1 ? 2 : i == 2 ? 1 : i);
        EXPECT_THAT(row, testing::Each(0.5f * static_cast<float>(stored))) << head << " " << i;
      }
    }
  }
}

TEST(QuantTest, SixteenBitRowsAreCopiedInOrderToo) {
  std::string bytes;
  for (const float value : {0.0f, 2.0f, 1.0f, 3.0f}) {
    const uint16_t bits = FloatToBf16(value);
    bytes += std::string(reinterpret_cast<const char*>(&bits), 2);
  }
  Team team(1);
  const TensorView view = {DType::kBf16, {4, 1}, bytes.data(), nullptr, 4};
  const auto packed = PackedMatrix::Pack({view}, DType::kBf16, &team);
  for (int64_t i = 0; i < 4; ++i) {
    float value = -1;
    (*packed)->CopyRow(i, &value);
    EXPECT_EQ(value, static_cast<float>(i));
  }
}

}  // namespace
}  // namespace switchboard::backend
