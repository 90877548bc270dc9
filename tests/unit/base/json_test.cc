#include "base/json.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/status_matchers.h"

namespace switchboard {
namespace {

using testing::HasSubstr;
constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;

Json Parsed(absl::string_view text) {
  absl::StatusOr<Json> value = ParseJson(text);
  EXPECT_THAT(value, IsOk()) << text;
  return value.ok() ? *value : Json();
}

TEST(ParseJson, KeepsMembersInTheOrderOfTheText) {
  EXPECT_EQ(SerializeJson(Parsed(R"({"z":1,"a":[true,null,"x"]})")),
            R"({"z":1,"a":[true,null,"x"]})");
}

TEST(ParseJson, LastDuplicateWinsAtThePlaceOfTheFirst) {
  EXPECT_EQ(SerializeJson(Parsed(R"({"a":1,"b":2,"a":3})")), R"({"a":3,"b":2})");
}

TEST(ParseJson, ReadsDoublesCorrectlyRounded) {
  for (double value :
       {0.1, 0.30000000000000004, 1e-7, 123456.789e-12, 5e-324, 1.7976931348623157e308}) {
    char text[64];
    std::snprintf(text, sizeof(text), "%.17g", value);
    const Json parsed = Parsed(text);
    ASSERT_TRUE(parsed.is_double()) << text;
    EXPECT_EQ(parsed.get_double(), value) << text;
  }
}

TEST(ParseJson, KeepsWholeNumbersExactUpTo64Bits) {
  EXPECT_EQ(Parsed("-9223372036854775808").as_int64(), INT64_MIN);
  EXPECT_EQ(Parsed("18446744073709551615").as_uint64(), UINT64_MAX);
  EXPECT_TRUE(Parsed("18446744073709551616").is_double());
}

TEST(ParseJson, RefusesNumbersBeyondADouble) {
  EXPECT_THAT(ParseJson("[1e999]"), StatusIs(kInvalid, HasSubstr("overflow")));
  EXPECT_THAT(ParseJson("-1e309"), StatusIs(kInvalid, HasSubstr("overflow")));
}

TEST(ParseJson, RefusesWhatIsNotJson) {
  for (absl::string_view text : {"",
                                 " ",
                                 "hello",
                                 "[1,]",
                                 "{\"a\":1,}",
                                 "{'a':1}",
                                 "[NaN]",
                                 "[Infinity]",
                                 "[-Infinity]",
                                 "01",
                                 "+1",
                                 "0x1",
                                 "1 2",
                                 "[1]x",
                                 "\"a\nb\"",
                                 "\"\\x41\"",
                                 "/* c */ 1",
                                 "{\"a\" 1}",
                                 "[",
                                 "\"",
                                 "tru",
                                 "\xEF\xBB\xBF{}"}) {
    EXPECT_THAT(ParseJson(text), StatusIs(kInvalid, HasSubstr("not valid JSON at byte"))) << text;
  }
}

TEST(ParseJson, RefusesInvalidUtf8) {
  for (absl::string_view text :
       {"\"\xff\"", "\"\xc0\xaf\"", "\"\xed\xa0\x80\"", "\"\xf4\x90\x80\x80\"", "\"\xe2\x82\""}) {
    EXPECT_THAT(ParseJson(text), StatusIs(kInvalid, HasSubstr("byte")));
  }
}

TEST(ParseJson, TurnsLoneSurrogatesIntoReplacementCharacters) {
  EXPECT_EQ(Parsed(R"("\ud83d!")").as_string(), "\xEF\xBF\xBD!");
  EXPECT_EQ(Parsed(R"("\udc00\ud83d")").as_string(), "\xEF\xBF\xBD\xEF\xBF\xBD");
  EXPECT_EQ(Parsed(R"("\ud83d\ude00")").as_string(), "\xF0\x9F\x98\x80");
  EXPECT_EQ(Parsed(R"("\\ud83d")").as_string(), "\\ud83d")
      << "an escaped backslash starts no escape";
  EXPECT_EQ(Parsed(R"("\ud83d\ud83d\ude00")").as_string(), "\xEF\xBF\xBD\xF0\x9F\x98\x80");
}

TEST(ParseJson, LimitsDepth) {
  const auto nested = [](int depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  EXPECT_THAT(ParseJson(nested(128)), IsOk());
  EXPECT_THAT(ParseJson(nested(129)), StatusIs(kInvalid, HasSubstr("too deep")));
  EXPECT_THAT(ParseJson(nested(100000)), StatusIs(kInvalid, HasSubstr("too deep")));
  EXPECT_THAT(ParseJson("[[1]]", 1), StatusIs(kInvalid, HasSubstr("too deep")));
}

TEST(ParseJson, LimitsTheNumberOfValues) {
  // The array or object itself, and five values in it; keys count with their values.
  for (const char* text : {"[1,-1.5,null,true,\"a\"]", "[18446744073709551615,[],{},[],[]]",
                           R"({"a":1,"b":[2,{"c":3}]})"}) {
    EXPECT_THAT(ParseJson(text, kDefaultJsonDepth, 6), IsOk()) << text;
    EXPECT_THAT(ParseJson(text, kDefaultJsonDepth, 5),
                StatusIs(kInvalid, HasSubstr("only 5 values are accepted")))
        << text;
  }
}

TEST(ParseJson, LimitsValuesByDefault) {
  // 5,000,000 items and their array.
  std::string text = "[";
  for (size_t i = 1; i < kDefaultJsonValues; ++i) text += "1,";
  EXPECT_THAT(ParseJson(text + "1]"), StatusIs(kInvalid, HasSubstr("only 5000000 values")));
}

TEST(SerializeJson, WritesDoublesInTheirShortestForm) {
  EXPECT_EQ(SerializeJson(JsonArray{0.25, -0.1, 1.0 / 3, 1e300, 0.0}),
            "[0.25,-0.1,0.3333333333333333,1e+300,0]");
}

TEST(SerializeJson, EscapesWhatJsonDemandsAndNoMore) {
  EXPECT_EQ(SerializeJson(Json("a\"b\\\n\x01\xE6\x88\x91/")),
            "\"a\\\"b\\\\\\n\\u0001\xE6\x88\x91/\"");
}

TEST(FindPresent, TreatsNullAsAbsent) {
  const Json value = Parsed(R"({"a":null,"b":0})");
  EXPECT_NE(FindMember(value.as_object(), "a"), nullptr);
  EXPECT_EQ(FindPresent(value.as_object(), "a"), nullptr);
  EXPECT_NE(FindPresent(value.as_object(), "b"), nullptr);
  EXPECT_EQ(FindMember(value.as_object(), "c"), nullptr);
}

}  // namespace
}  // namespace switchboard
