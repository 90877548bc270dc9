#include "base/percent.h"

#include <gtest/gtest.h>

namespace switchboard {
namespace {

TEST(PercentTest, EscapesBecomeTheirBytesOnce) {
  EXPECT_EQ(PercentDecode("a%2Fb%2fc"), "a/b/c");
  EXPECT_EQ(PercentDecode("%2541"), "%41");
  EXPECT_EQ(PercentDecode("%00%ff"), std::string("\0\xFF", 2));
  EXPECT_EQ(PercentDecode(""), "");
}

TEST(PercentTest, BrokenEscapesAreNothing) {
  for (const char* text : {"%", "a%", "%4", "%4g", "%g4", "%%41", "%+1", "% 1"}) {
    EXPECT_EQ(PercentDecode(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace switchboard
