#include "worker/service/byte_budget.h"

#include <gtest/gtest.h>

#include "tests/support/status_matchers.h"

namespace switchboard::worker {
namespace {

using testing::HasSubstr;
constexpr auto kExhausted = absl::StatusCode::kResourceExhausted;

TEST(ByteBudget, RefusesWhatPassesTheLimit) {
  ByteBudget budget(100);
  absl::StatusOr<ByteBudget::Share> first = budget.Take(60);
  ASSERT_THAT(first, IsOk());
  EXPECT_THAT(budget.Take(41), StatusIs(kExhausted, HasSubstr("try again")));
  EXPECT_THAT(budget.Take(INT64_MAX), StatusIs(kExhausted, HasSubstr("try again")));
  EXPECT_THAT(budget.Take(40), IsOk());
}

TEST(ByteBudget, LetsALargeRequestInAlone) {
  ByteBudget budget(100);
  absl::StatusOr<ByteBudget::Share> large = budget.Take(500);
  ASSERT_THAT(large, IsOk());
  EXPECT_THAT(budget.Take(1), StatusIs(kExhausted, HasSubstr("try again")));
}

TEST(ByteBudget, TakesBackWhatASharesHolderLetsGo) {
  ByteBudget budget(100);
  {
    ByteBudget::Share share = *budget.Take(60);
    ByteBudget::Share other;
    other = std::move(share);
    EXPECT_EQ(budget.taken(), 60);
    other.ShrinkTo(10);
    other.ShrinkTo(30);
    EXPECT_EQ(budget.taken(), 10);
  }
  EXPECT_EQ(budget.taken(), 0);
}

}  // namespace
}  // namespace switchboard::worker
