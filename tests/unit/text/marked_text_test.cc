#include "text/marked_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace switchboard::text {
namespace {

using testing::ElementsAre;

MarkedText Sample() {  // <a>user<b>
  MarkedText text = MarkedText::Literal("<a>");
  text.Append(MarkedText::Data("user"));
  text.Append("<b>", true);
  return text;
}

TEST(MarkedText, RemembersWhichBytesAreLiteral) {
  EXPECT_EQ(Sample().text(), "<a>user<b>");
  EXPECT_THAT(Sample().literal(), ElementsAre(ByteRange{0, 3}, ByteRange{7, 10}));
}

TEST(MarkedText, JoinsNeighbouringLiterals) {
  MarkedText text = MarkedText::Literal("<|us");
  text.Append("", false);
  text.Append(MarkedText::Literal("er|>"));
  EXPECT_THAT(text.literal(), ElementsAre(ByteRange{0, 8}));
}

TEST(MarkedText, SaysWhetherARangeIsWhollyLiteral) {
  const MarkedText text = Sample();
  EXPECT_TRUE(text.IsLiteral(0, 3));
  EXPECT_TRUE(text.IsLiteral(8, 10));
  EXPECT_FALSE(text.IsLiteral(0, 4));
  EXPECT_FALSE(text.IsLiteral(6, 8));
  EXPECT_FALSE(text.IsLiteral(2, 9)) << "literal at both ends only";
  EXPECT_TRUE(text.IsLiteral(5, 5)) << "no byte is not literal in an empty range";
}

TEST(MarkedText, SlicesKeepTheirMarks) {
  const MarkedText slice = Sample().Slice(2, 8);
  EXPECT_EQ(slice.text(), ">user<");
  EXPECT_THAT(slice.literal(), ElementsAre(ByteRange{0, 1}, ByteRange{5, 6}));
}

TEST(MarkedText, AppendsToItself) {
  MarkedText text = Sample();
  text.Append(text);
  EXPECT_EQ(text.text(), "<a>user<b><a>user<b>");
  EXPECT_THAT(text.literal(), ElementsAre(ByteRange{0, 3}, ByteRange{7, 13}, ByteRange{17, 20}));
}

}  // namespace
}  // namespace switchboard::text
