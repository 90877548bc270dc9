#include "text/tokenizer/split_pattern.h"

#include <gtest/gtest.h>

#include "tests/support/status_matchers.h"

namespace switchboard::text {
namespace {

using testing::HasSubstr;

class SplitPatternTest : public testing::Test {
 protected:
  absl::optional<ByteRange> Find(const char* regex, absl::string_view text, size_t from = 0) {
    const auto pattern = SplitPattern::Compile(regex);
    EXPECT_THAT(pattern, IsOk());
    return pattern->Find(text, from, &scratch_);
  }

  MatchScratch scratch_;
};

TEST_F(SplitPatternTest, FindsTheNextMatch) {
  EXPECT_EQ(Find("\\p{L}+", "1 ab cd"), (ByteRange{2, 4}));
  EXPECT_EQ(Find("\\p{L}+", "1 ab cd", 4), (ByteRange{5, 7}));
  EXPECT_EQ(Find("\\p{L}+", "1 ab cd", 7), absl::nullopt);
}

TEST_F(SplitPatternTest, CountsUnicodeWhiteSpaceOnly) {
  for (const char* space : {"\t", "\u0085", "\u00a0", "\u1680", "\u2028", "\u3000"}) {
    EXPECT_EQ(Find("\\s", space), (ByteRange{0, strlen(space)})) << space;
  }
  for (const char* other : {"\u180e", "\u200b", "\ufeff", "\x1c", "\x1f"}) {
    EXPECT_EQ(Find("\\s", other), absl::nullopt) << other;
    EXPECT_EQ(Find("[\\S]", other), (ByteRange{0, strlen(other)})) << other;
  }
}

TEST_F(SplitPatternTest, FoldsTheLongS) {
  EXPECT_EQ(Find("(?i:'s)", "it'\u017f"), (ByteRange{2, 5}));
}

TEST_F(SplitPatternTest, TakesLiteralTextLiterally) {
  const auto pattern = SplitPattern::Literal("a.[");
  ASSERT_THAT(pattern, IsOk());
  EXPECT_EQ(pattern->Find("axa.[", 0, &scratch_), (ByteRange{2, 5}));
}

TEST_F(SplitPatternTest, GivesUpOnAMatchThatExplodes) {
  EXPECT_EQ(Find("(a*)*b", std::string(40, 'a') + "c"), absl::nullopt);
}

TEST_F(SplitPatternTest, RefusesMalformedPatterns) {
  for (const char* regex : {"(", "[a", "a{2,1}", "*", "\\p{NoSuchThing}", "\xFF"}) {
    EXPECT_THAT(SplitPattern::Compile(regex),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("regular expression")))
        << regex;
  }
}

TEST_F(SplitPatternTest, RefusesDeepNestingAndEndlessPatterns) {
  const std::string deep = std::string(5000, '(') + "a" + std::string(5000, ')');
  EXPECT_THAT(SplitPattern::Compile(deep),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("nested")));
  EXPECT_THAT(SplitPattern::Compile(std::string(20000, 'a')),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("at most 16384")));
}

}  // namespace
}  // namespace switchboard::text
