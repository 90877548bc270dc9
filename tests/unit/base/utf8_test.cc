#include "base/utf8.h"

#include <gtest/gtest.h>

namespace switchboard {
namespace {

TEST(DecodeUtf8, ReadsCodePointsOfEveryLength) {
  const std::pair<const char*, char32_t> cases[] = {{"a", 'a'},
                                                    {"\xC3\xA9", 0xE9},
                                                    {"\xE6\x88\x91", 0x6211},
                                                    {"\xF0\x9F\x98\x80", 0x1F600},
                                                    {"\xF4\x8F\xBF\xBF", 0x10FFFF}};
  for (const auto& [text, code_point] : cases) {
    const Utf8Unit unit = DecodeUtf8(text);
    EXPECT_EQ(unit.kind, Utf8Unit::kCodePoint);
    EXPECT_EQ(unit.code_point, code_point);
    EXPECT_EQ(unit.bytes, absl::string_view(text).size());
  }
}

TEST(DecodeUtf8, TellsIncompleteFromInvalid) {
  EXPECT_EQ(DecodeUtf8("\xF0\x9F\x98").kind, Utf8Unit::kIncomplete);
  EXPECT_EQ(DecodeUtf8("\xE6").kind, Utf8Unit::kIncomplete);
  EXPECT_EQ(DecodeUtf8("\x80").kind, Utf8Unit::kInvalid);
  EXPECT_EQ(DecodeUtf8("\xC0\xAF").kind, Utf8Unit::kInvalid) << "overlong";
  EXPECT_EQ(DecodeUtf8("\xED\xA0\x80").kind, Utf8Unit::kInvalid) << "surrogate";
  EXPECT_EQ(DecodeUtf8("\xF5\x80\x80\x80").kind, Utf8Unit::kInvalid) << "beyond U+10FFFF";
}

// The table of the Unicode standard, 3.9, "U+FFFD substitution of maximal subparts".
TEST(ReplaceInvalidUtf8, PutsOneReplacementPerMaximalSubpart) {
  const std::string r = kReplacementCharacter;
  EXPECT_EQ(ReplaceInvalidUtf8("\xC0\xAF\xE0\x80\xBF\xF0\x81\x82\x41"),
            r + r + r + r + r + r + r + r + "A");
  EXPECT_EQ(ReplaceInvalidUtf8("\xED\xA0\x80\xED\xBF\xBF\xED\xAF\x41"),
            r + r + r + r + r + r + r + r + "A");
  EXPECT_EQ(ReplaceInvalidUtf8("\xE1\x80\xE2\xF0\x91\x92\xF1\xBF\x41"), r + r + r + r + "A");
  EXPECT_EQ(ReplaceInvalidUtf8("ok\xE6\x88"), "ok" + r);
}

TEST(AppendUtf8, IsTheInverseOfDecodeUtf8) {
  for (char32_t c : {char32_t{0}, char32_t{0x7F}, char32_t{0x80}, char32_t{0x7FF}, char32_t{0x800},
                     char32_t{0xFFFF}, char32_t{0x10000}, char32_t{0x10FFFF}}) {
    std::string text;
    AppendUtf8(c, &text);
    EXPECT_EQ(DecodeUtf8(text).code_point, c);
    EXPECT_EQ(DecodeUtf8(text).bytes, text.size());
  }
}

TEST(AppendUtf8, ReplacesWhatIsNoCodePoint) {
  for (char32_t c : {char32_t{0xD800}, char32_t{0xDFFF}, char32_t{0x110000}}) {
    std::string text;
    AppendUtf8(c, &text);
    EXPECT_EQ(text, kReplacementCharacter);
  }
}

TEST(IsValidUtf8, AgreesWithTheReplacingCopy) {
  for (absl::string_view text : {"", "plain", "\xE6\x88\x91", "\xE6\x88", "a\x80z"}) {
    EXPECT_EQ(IsValidUtf8(text), ReplaceInvalidUtf8(text) == text) << text;
  }
}

}  // namespace
}  // namespace switchboard
