#include "text/template/text_builder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/status_matchers.h"

namespace switchboard::text::jinja {
namespace {

using testing::ElementsAre;

TEST(TextBuilder, SlicesCopyTheMarksOfTheirPart) {
  MarkedText source = MarkedText::Literal("ab");
  source.Append("cd", false);
  source.Append("ef", true);
  Budget budget{TemplateLimits()};
  TextBuilder builder(&budget);
  builder.AppendSlice(source, 1, 5);
  EXPECT_EQ(builder.text().text(), "bcde");
  EXPECT_THAT(builder.text().literal(), ElementsAre(ByteRange{0, 1}, ByteRange{3, 4}));
  builder.AppendSlice(source, 2, 2);
  EXPECT_EQ(builder.size(), 4u);
}

TEST(TextBuilder, EverySliceIsTheSlice) {
  MarkedText source;
  for (int i = 0; i < 6; ++i) source.Append("xy", i % 3 == 0);
  Budget budget{TemplateLimits()};
  for (size_t begin = 0; begin <= source.size(); ++begin) {
    for (size_t end = begin; end <= source.size(); ++end) {
      TextBuilder builder(&budget);
      builder.AppendSlice(source, begin, end);
      const MarkedText expected = source.Slice(begin, end);
      EXPECT_EQ(builder.text().text(), expected.text());
      EXPECT_EQ(builder.text().literal(), expected.literal());
    }
  }
}

TEST(TextBuilder, NothingIsAddedOnceTheBudgetIsUsedUp) {
  TemplateLimits limits;
  limits.memory_bytes = 10;
  Budget budget(limits);
  TextBuilder builder(&budget);
  builder.AppendData("0123456789");
  builder.AppendData("x");
  builder.AppendData("y");
  EXPECT_EQ(builder.size(), 10u);
  EXPECT_TRUE(builder.full());
  EXPECT_THAT(budget.status(), StatusIs(absl::StatusCode::kInvalidArgument,
                                        "it needs more than 10 bytes of memory"));
}

TEST(TextBuilder, GivesItsMemoryBack) {
  TemplateLimits limits;
  limits.memory_bytes = 10;
  Budget budget(limits);
  for (int i = 0; i < 3; ++i) {
    TextBuilder builder(&budget);
    builder.AppendData("01234567");
  }
  EXPECT_THAT(budget.status(), IsOk());
}

}  // namespace
}  // namespace switchboard::text::jinja
