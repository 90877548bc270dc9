#include "text/chat/parts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/status_matchers.h"

namespace switchboard::text {
namespace {

using absl::StatusCode;
using testing::ElementsAre;

absl::StatusOr<std::vector<ContentPart>> Read(absl::string_view json) {
  return ReadParts(ParseJson(json)->get_array(), "messages[1].content");
}

TEST(Parts, AllDialectsOfTextAreText) {
  const auto parts = Read(R"([{"type": "text", "text": "a"}, {"type": "input_text", "text": "b"},
                              {"type": "output_text", "text": "c"}, "d",
                              {"type": "refusal", "refusal": "e"}])");
  ASSERT_THAT(parts, IsOk());
  EXPECT_EQ(JoinParts(*parts, "<img>").text(), "a\nb\nc\nd\ne");
  EXPECT_EQ(CountImages(*parts), 0);
}

TEST(Parts, AllDialectsOfImagesAreImages) {
  const auto parts = Read(R"([{"type": "image_url", "image_url": {"url": "data:,"}},
                              {"type": "input_image", "image_url": "data:,"}, {"type": "image"}])");
  ASSERT_THAT(parts, IsOk());
  EXPECT_EQ(CountImages(*parts), 3);
}

TEST(Parts, PlaceholdersStandInFrontAndAreLiteral) {
  const auto parts = Read(R"([{"type": "text", "text": "<img>"}, {"type": "image"},
                              {"type": "image"}, {"type": "text", "text": "b"}])");
  ASSERT_THAT(parts, IsOk());
  const MarkedText joined = JoinParts(*parts, "<img>");
  EXPECT_EQ(joined.text(), "<img>\n<img>\n<img>\nb");
  EXPECT_THAT(joined.literal(), ElementsAre(ByteRange{0, 5}, ByteRange{6, 11}));
}

TEST(Parts, AnImageAloneIsItsPlaceholder) {
  EXPECT_EQ(JoinParts(*Read(R"([{"type": "image"}])"), "<img>").text(), "<img>");
}

TEST(Parts, ThoughtsAreKeptApart) {
  const auto parts = Read(R"([{"type": "thinking", "thinking": "x"}, {"type": "text", "text": "a"},
                              {"type": "reasoning", "text": "y"}])");
  ASSERT_THAT(parts, IsOk());
  EXPECT_EQ(JoinThoughts(*parts), "x\ny");
  EXPECT_EQ(JoinParts(*parts, "").text(), "a");
}

TEST(Parts, AnUnknownTypeIsNamed) {
  EXPECT_THAT(Read(R"(["a", {"type": "input_audio"}])"),
              StatusIs(StatusCode::kInvalidArgument,
                       "messages[1].content[1].type \"input_audio\" is not supported; text and "
                       "image_url are"));
}

TEST(Parts, MissingTextsAndTypesAreNamed) {
  EXPECT_THAT(
      Read(R"([{"type": "text"}])"),
      StatusIs(StatusCode::kInvalidArgument, "messages[1].content[0].text must be a string"));
  EXPECT_THAT(Read(R"([{"text": "a"}])"), StatusIs(StatusCode::kInvalidArgument,
                                                   "messages[1].content[0].type must be a string"));
  EXPECT_THAT(Read("[5]"), StatusIs(StatusCode::kInvalidArgument,
                                    "messages[1].content[0].type must be a string"));
}

}  // namespace
}  // namespace switchboard::text
