#include "text/template/text_ops.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace switchboard::text::jinja {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class TextOps : public testing::Test {
 protected:
  // The parts as text.
  static std::vector<std::string> Cut(absl::string_view text,
                                      const std::vector<ByteRange>& ranges) {
    std::vector<std::string> parts;
    for (const ByteRange& range : ranges) {
      parts.emplace_back(text.substr(range.begin, range.end - range.begin));
    }
    return parts;
  }

  Budget budget_{TemplateLimits()};
};

TEST_F(TextOps, StripWorksOnEitherSide) {
  const absl::string_view text = " \xC2\xA0x ";
  EXPECT_EQ(StripRange(text, std::nullopt, true, true), (ByteRange{3, 4}));
  EXPECT_EQ(StripRange(text, std::nullopt, true, false), (ByteRange{3, 5}));
  EXPECT_EQ(StripRange(text, std::nullopt, false, true), (ByteRange{0, 4}));
  EXPECT_EQ(StripRange(" \n", std::nullopt, true, true), (ByteRange{0, 0}));
  EXPECT_EQ(StripRange("éaé", "é", true, true), (ByteRange{2, 3}));
}

TEST_F(TextOps, SplitCutsAtSeparators) {
  EXPECT_THAT(Cut("a--b--", SplitRanges("a--b--", "--", -1, false, &budget_)),
              ElementsAre("a", "b", ""));
  EXPECT_THAT(Cut("a-b-c", SplitRanges("a-b-c", "-", 1, true, &budget_)), ElementsAre("a-b", "c"));
  EXPECT_THAT(Cut("", SplitRanges("", "-", -1, false, &budget_)), ElementsAre(""));
}

TEST_F(TextOps, SplitAtSpaceKeepsWhatIsBehindTheLastCut) {
  EXPECT_THAT(Cut(" a  b ", SplitRanges(" a  b ", std::nullopt, -1, false, &budget_)),
              ElementsAre("a", "b"));
  EXPECT_THAT(Cut(" a  b ", SplitRanges(" a  b ", std::nullopt, 1, false, &budget_)),
              ElementsAre("a", "b "));
  EXPECT_THAT(Cut(" a  b ", SplitRanges(" a  b ", std::nullopt, 1, true, &budget_)),
              ElementsAre(" a", "b"));
  EXPECT_THAT(Cut("  ", SplitRanges("  ", std::nullopt, 0, false, &budget_)), IsEmpty());
}

TEST_F(TextOps, LinesEndAtEveryKindOfBreak) {
  EXPECT_THAT(Cut("a\r\nb\rc\n", LineRanges("a\r\nb\rc\n", false, &budget_)),
              ElementsAre("a", "b", "c"));
  EXPECT_THAT(Cut("a\r\nb", LineRanges("a\r\nb", true, &budget_)), ElementsAre("a\r\n", "b"));
}

}  // namespace
}  // namespace switchboard::text::jinja
