#include "worker/model/stored_tensor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/status_matchers.h"
#include "worker/backend/quant.h"

namespace switchboard::model {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr absl::StatusCode kInvalid = absl::StatusCode::kInvalidArgument;

std::string Floats(const std::vector<float>& values) {
  return std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float));
}

TEST(StoredTensorTest, OnlyFloatAndBlockTypesAreWeights) {
  const StoredTensor numbers = {"w", "I32", {1}, "0123", 0};
  EXPECT_THAT(AsFloats(numbers), StatusIs(kInvalid, HasSubstr("'w': weights of type I32")));
  const StoredTensor halves = {"w", "F16", {2}, "0123", 0};
  ASSERT_THAT(AsFloats(halves), IsOk());
  EXPECT_EQ(AsFloats(halves)->dtype, backend::DType::kF16);
  EXPECT_EQ(AsFloats(halves)->blocks, nullptr);
}

TEST(StoredTensorTest, QuantisedTensorsAreFloatsInBlocks) {
  const std::string block(34, '\0');
  const auto view = AsFloats({"w", "Q8_0", {1, 32}, block, 0});
  ASSERT_THAT(view, IsOk());
  EXPECT_EQ(view->dtype, backend::DType::kF32);
  ASSERT_NE(view->blocks, nullptr);
  EXPECT_EQ(view->blocks->name, "Q8_0");
  EXPECT_EQ(view->stored_bytes(), 34);
}

// Two heads of four rows: stored 0, 2, 1, 3 each.
TEST(StoredTensorTest, InterleavedRowsComeBackInOrder) {
  const std::string bytes = Floats({0, 2, 1, 3, 10, 12, 11, 13});
  const auto view = AsFloats({"w", "F32", {8, 1}, bytes, 4});
  ASSERT_THAT(view, IsOk());
  EXPECT_THAT(backend::ToFloats(*view), ElementsAre(0, 1, 2, 3, 10, 11, 12, 13));
  float row = 0;
  backend::WidenRow(*view, 5, &row);
  EXPECT_EQ(row, 11);
  EXPECT_EQ(backend::RowBytes(*view, 5), bytes.data() + 6 * sizeof(float));
}

TEST(StoredTensorTest, NamesInErrorsAreEscapedAndCut) {
  const absl::Status status = BadTensor("\n" + std::string(300, 'x'), "is bad");
  EXPECT_THAT(status, StatusIs(kInvalid, HasSubstr("tensor '\\n")));
  EXPECT_EQ(status.message().size(), std::string("tensor '\\n").size() + 199 + 9);
}

}  // namespace
}  // namespace switchboard::model
