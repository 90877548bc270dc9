#include "text/tokenizer/pre_tokenizer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

#include "base/check.h"
#include "text/tokenizer/known_patterns.h"

namespace switchboard::text {
namespace {

using testing::ElementsAre;

SplitStage Stage(absl::string_view regex, bool keep_matches = true, bool keep_gaps = true) {
  auto pattern = SplitPattern::Compile(regex);
  CHECK(pattern.ok());
  return SplitStage{*std::move(pattern), keep_matches, keep_gaps};
}

template <typename... Stages>
std::vector<SplitStage> List(Stages... stages) {
  std::vector<SplitStage> list;
  (list.push_back(std::move(stages)), ...);
  return list;
}

std::vector<std::string> Cut(const PreTokenizer& pre_tokenizer, absl::string_view text) {
  PreTokenizer::Pieces pieces;
  pre_tokenizer.Cut(text, true, &pieces);
  std::vector<std::string> out;
  for (size_t i = 0; i < pieces.size(); ++i) out.emplace_back(pieces[i]);
  return out;
}

TEST(PreTokenizer, CutsAsGpt2Does) {
  const PreTokenizer gpt2({}, false, List(Stage(kGpt2Pattern)));
  EXPECT_THAT(Cut(gpt2, "I'll  say 42!\n"), ElementsAre("I", "'ll", " ", " say", " 42", "!", "\n"));
}

TEST(PreTokenizer, HasNoPiecesForTheEmptyText) {
  EXPECT_THAT(Cut(PreTokenizer({}, true, {}), ""), ElementsAre());
}

TEST(PreTokenizer, KeepsGapsBetweenMatchesAsPieces) {
  EXPECT_THAT(Cut(PreTokenizer(List(Stage("\\p{N}")), false, {}), "ab12c"),
              ElementsAre("ab", "1", "2", "c"));
}

TEST(PreTokenizer, DropsMatchesOrGapsWhereTheStageSaysSo) {
  EXPECT_THAT(Cut(PreTokenizer(List(Stage(" ", false, true)), false, {}), "a b  c"),
              ElementsAre("a", "b", "c"));
  EXPECT_THAT(Cut(PreTokenizer(List(Stage("\\p{L}+", true, false)), false, {}), "a, bc"),
              ElementsAre("a", "bc"));
}

TEST(PreTokenizer, ShowsEachStageOnlyThePieceThatItCuts) {
  // "(?!\\S)" holds at the end of a piece, although a letter follows in the text.
  EXPECT_THAT(Cut(PreTokenizer(List(Stage("x"), Stage("\\s+(?!\\S)")), false, {}), "a  xb"),
              ElementsAre("a", "  ", "x", "b"));
}

TEST(PreTokenizer, SeparatesAtEmptyMatches) {
  EXPECT_THAT(Cut(PreTokenizer(List(Stage("(?=b)")), false, {}), "\u00e9abab"),
              ElementsAre("\u00e9a", "ba", "b"));
}

TEST(PreTokenizer, PutsASpaceBeforeEveryPieceThatHasNone) {
  EXPECT_THAT(Cut(PreTokenizer(List(Stage("\n")), true, {}), "a\n b"),
              ElementsAre(" a", " \n", " b"));
}

TEST(PreTokenizer, CutsOnceMoreBehindThePrefix) {
  const PreTokenizer gpt2({}, true, List(Stage(kGpt2Pattern)));
  EXPECT_THAT(Cut(gpt2, "ab cd"), ElementsAre(" ab", " cd"));
}

TEST(PreTokenizer, CutsAMegabyteOfOneKindInLinearTime) {
  const PreTokenizer gpt2({}, false, List(Stage(kGpt2Pattern)));
  for (const char* unit : {"a", " ", ".", "\u4e2d"}) {
    std::string text;
    while (text.size() < 1'000'000) text += unit;
    EXPECT_THAT(Cut(gpt2, text), ElementsAre(text));
  }
}

}  // namespace
}  // namespace switchboard::text
