#include "base/secret.h"

#include <gtest/gtest.h>

namespace switchboard {
namespace {

TEST(SecretTest, EqualsOnlyTheSameText) {
  const Secret secret("abc");
  EXPECT_TRUE(secret.Equals(Secret("abc")));
  for (const char* text : {"", "ab", "abcd", "abC", "xbc"}) {
    EXPECT_FALSE(secret.Equals(Secret(text))) << text;
  }
}

}  // namespace
}  // namespace switchboard
