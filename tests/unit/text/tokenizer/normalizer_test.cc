#include "text/tokenizer/normalizer.h"

#include <gtest/gtest.h>

namespace switchboard::text {
namespace {

using Step = Normalizer::Form;

TEST(Normalizer, LeavesTextAloneWithoutSteps) {
  EXPECT_TRUE(Normalizer().IsIdentity());
  EXPECT_EQ(Normalizer().Apply("e\u0301 A"), "e\u0301 A");
}

TEST(Normalizer, ComposesAndDecomposes) {
  EXPECT_EQ(Normalizer({Step::kNfc}).Apply("cafe\u0301 \u212b"), "caf\u00e9 \u00c5");
  EXPECT_EQ(Normalizer({Step::kNfd}).Apply("\u00e9"), "e\u0301");
  EXPECT_EQ(Normalizer({Step::kNfkc}).Apply("\ufb01"), "fi");
  EXPECT_EQ(Normalizer({Step::kNfkd}).Apply("\u00bd"), "1\u20442");
}

TEST(Normalizer, LowersEachCharacterByItself) {
  const Normalizer lower({Step::kLowercase});
  EXPECT_EQ(lower.Apply("\u00c9A\u00df"), "\u00e9a\u00df");
  EXPECT_EQ(lower.Apply("\u039f\u03a3"), "\u03bf\u03c3");  // no final sigma
  EXPECT_EQ(lower.Apply("\u0130"), "i\u0307");
}

TEST(Normalizer, AppliesStepsInOrder) {
  EXPECT_EQ(Normalizer({Step::kNfc, Step::kLowercase}).Apply("E\u0301"), "\u00e9");
}

TEST(Normalizer, MakesTheSameTextWithAndWithoutMarks) {
  const Normalizer both({Step::kNfc, Step::kLowercase});
  const std::string text = "Cafe\u0301 \u1112\u1161\u11ab q\u0307\u0323 \u0130 \u0344Z";
  EXPECT_EQ(both.ApplyMarked(MarkedText::Data(text)).text(), both.Apply(text));
}

TEST(Normalizer, KeepsMarksOnWhatIsMadeOfLiteralTextOnly) {
  MarkedText text = MarkedText::Literal("A\u00c9e");
  text.Append("\u0301", false);  // joins the e before it
  text.Append("B", true);
  const MarkedText result = Normalizer({Step::kNfc, Step::kLowercase}).ApplyMarked(text);
  EXPECT_EQ(result.text(), "a\u00e9\u00e9b");
  EXPECT_EQ(result.literal(), (std::vector<ByteRange>{{0, 3}, {5, 6}}));
}

}  // namespace
}  // namespace switchboard::text
