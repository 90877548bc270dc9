#include "base/random_id.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace switchboard {
namespace {

TEST(RandomId, IsSixteenHexadecimalDigitsAndNeverTheSame) {
  const std::string one = RandomId();
  EXPECT_EQ(one.size(), 16u);
  EXPECT_EQ(one.find_first_not_of("0123456789abcdef"), std::string::npos);
  EXPECT_NE(one, RandomId());
}

}  // namespace
}  // namespace switchboard
