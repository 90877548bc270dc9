#include "gateway/openai/object_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/status_matchers.h"
#include "tests/unit/gateway/openai/error_case.h"

namespace switchboard::openai {
namespace {

using testing::HasSubstr;

TEST(ObjectReaderTest, NullCountsAsAbsent) {
  const JsonObject object = ParseObject(R"({"a": null})");
  ObjectReader reader(&object);
  EXPECT_EQ(*reader.Bool("a"), std::nullopt);
  EXPECT_EQ(*reader.Integer("a", 0, 1), std::nullopt);
  EXPECT_EQ(*reader.Number("a", 0, 1), std::nullopt);
  EXPECT_EQ(*reader.String("a"), std::nullopt);
  EXPECT_EQ(*reader.Array("a"), nullptr);
  EXPECT_EQ(*reader.Object("a"), nullptr);
  EXPECT_EQ(*reader.Bool("b"), std::nullopt);
}

TEST(ObjectReaderTest, IntegralFloatIsAnInteger) {
  const JsonObject object = ParseObject(R"({"a": 8.0, "b": 1e3, "c": -0.0})");
  ObjectReader reader(&object);
  EXPECT_EQ(*reader.Integer("a", 0, 10), 8);
  EXPECT_EQ(*reader.Integer("b", 0, 1000), 1000);
  EXPECT_EQ(*reader.Integer("c", 0, 10), 0);
}

TEST(ObjectReaderTest, ErrorsNameThePathAndTheKind) {
  const JsonObject object = ParseObject(
      R"({"t": true, "s": "8", "f": 2.5, "big": 1e100, "u": 18446744073709551615, "n": 7, "l": []})");
  ObjectReader reader(&object, "outer");
  const auto verdict = [&](const char* key) { return Verdict(reader.Integer(key, 0, 5).status()); };
  EXPECT_EQ(verdict("t"), "400 invalid_type outer.t");
  EXPECT_EQ(verdict("s"), "400 invalid_type outer.s");
  EXPECT_EQ(verdict("f"), "400 invalid_type outer.f");
  EXPECT_EQ(verdict("big"), "400 integer_above_max_value outer.big");
  EXPECT_EQ(verdict("u"), "400 integer_above_max_value outer.u");
  EXPECT_EQ(verdict("n"), "400 integer_above_max_value outer.n");
  EXPECT_EQ(verdict("l"), "400 invalid_type outer.l");
  EXPECT_THAT(reader.Number("t", 0, 1).status(),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("'outer.t' must be a number, not a boolean.")));
  EXPECT_THAT(reader.Number("n", 0, 2).status(),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("'outer.n' must be between 0 and 2, not 7.")));
}

TEST(ObjectReaderTest, CountsMembersThatNobodyReadAndThatAreSet) {
  const JsonObject object = ParseObject(R"({"a": 1, "b": 2, "c": null})");
  ObjectReader reader(&object);
  EXPECT_EQ(reader.UnreadMembers(), 2);
  ASSERT_THAT(reader.Integer("a", 0, 9), IsOk());
  EXPECT_EQ(reader.UnreadMembers(), 1);
}

}  // namespace
}  // namespace switchboard::openai
