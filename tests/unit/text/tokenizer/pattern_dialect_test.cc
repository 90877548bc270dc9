#include "text/tokenizer/pattern_dialect.h"

#include <gtest/gtest.h>

#include "tests/support/status_matchers.h"

namespace switchboard::text {
namespace {

using testing::HasSubstr;

constexpr absl::StatusCode kUnimplemented = absl::StatusCode::kUnimplemented;
constexpr char kSpaces[] =
    "\\x{9}-\\x{D}\\x{20}\\x{85}\\x{A0}\\x{1680}\\x{2000}-\\x{200A}\\x{2028}\\x{2029}\\x{202F}"
    "\\x{205F}\\x{3000}";

TEST(PatternDialect, WritesWhiteSpaceOut) {
  EXPECT_EQ(*ToPcre2Pattern("\\s+"), std::string("[") + kSpaces + "]+");
  EXPECT_EQ(*ToPcre2Pattern("(?!\\S)"), std::string("(?![^") + kSpaces + "])");
  EXPECT_EQ(*ToPcre2Pattern("[^\\s\\p{L}]"), std::string("[^") + kSpaces + "\\p{L}]");
}

TEST(PatternDialect, KeepsPropertiesEscapesAndPossessiveRepetition) {
  EXPECT_EQ(*ToPcre2Pattern("\\p{L}+[^\\r\\n\\]\\\\]?+"), "\\p{L}+[^\\r\\n\\]\\\\]?+");
}

TEST(PatternDialect, TurnsUnicodeEscapesIntoCodePoints) {
  EXPECT_EQ(*ToPcre2Pattern("[\\u4e00-\\u9fa5]"), "[\\x{4e00}-\\x{9fa5}]");
}

TEST(PatternDialect, RefusesWhatTheTwoEnginesReadDifferently) {
  EXPECT_THAT(ToPcre2Pattern("\\h"), StatusIs(kUnimplemented, HasSubstr("\\h is not supported")));
  EXPECT_THAT(ToPcre2Pattern("a\\b"), StatusIs(kUnimplemented, HasSubstr("byte 1")));
  EXPECT_THAT(ToPcre2Pattern("[a[b]]"), StatusIs(kUnimplemented, HasSubstr("a set within a set")));
  EXPECT_THAT(ToPcre2Pattern("[a&&b]"), StatusIs(kUnimplemented, HasSubstr("&&")));
  EXPECT_THAT(ToPcre2Pattern("a{1,3}+"), StatusIs(kUnimplemented, HasSubstr("{n,m}+")));
  EXPECT_THAT(ToPcre2Pattern("(?1)"), StatusIs(kUnimplemented, HasSubstr("group")));
  EXPECT_THAT(ToPcre2Pattern("(*NO_JIT)a"), StatusIs(kUnimplemented, HasSubstr("group")));
}

TEST(PatternDialect, RefusesABackslashAtTheEnd) {
  EXPECT_THAT(ToPcre2Pattern("a\\"),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("backslash")));
}

TEST(PatternDialect, RefusesAnUnfinishedUnicodeEscape) {
  EXPECT_THAT(ToPcre2Pattern("\\u12g4"),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("four hex digits")));
}

TEST(PatternDialect, QuotesLiteralText) {
  EXPECT_EQ(LiteralPattern("a.b\u00e9\\E"), "a\\.b\u00e9\\\\E");
}

}  // namespace
}  // namespace switchboard::text
