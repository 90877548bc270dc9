#include "text/tokenizer/incremental_decoder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/text/tokenizer/small_tokenizer.h"

namespace switchboard::text {
namespace {

using testing::ElementsAre;

// What each id shows, and the tail.
std::vector<std::string> Pieces(const Ids& ids, bool skip_special = false) {
  const auto tokenizer = SmallTokenizer();
  IncrementalDecoder decoder(tokenizer.get(), skip_special);
  std::vector<std::string> pieces;
  for (const int32_t id : ids) pieces.push_back(decoder.Add(id));
  pieces.push_back(decoder.Finish());
  return pieces;
}

TEST(IncrementalDecoder, ShowsWholeTokensAtOnce) {
  EXPECT_THAT(Pieces({259, 260}), ElementsAre("hello", " w", ""));
}

TEST(IncrementalDecoder, ShowsACharacterWithItsLastByte) {
  EXPECT_THAT(Pieces({0xD7, 0xA9, ' '}), ElementsAre("", "\u05e9", " ", ""));
  EXPECT_THAT(Pieces({0xF0, 0x9F, 0x98, 0x80}), ElementsAre("", "", "", "\U0001F600", ""));
}

TEST(IncrementalDecoder, ReplacesABrokenCharacterAsSoonAsItIsBroken) {
  EXPECT_THAT(Pieces({'A', 0xF0, 0x9F, 'B', 'C'}), ElementsAre("A", "", "", "\uFFFDB", "C", ""));
  EXPECT_THAT(Pieces({0xFF, 0xED, 0xA0}), ElementsAre("\uFFFD", "", "\uFFFD\uFFFD", ""));
}

TEST(IncrementalDecoder, ReplacesAnIncompleteCharacterAtTheEnd) {
  EXPECT_THAT(Pieces({0xF0, 0x9F, 0x98}), ElementsAre("", "", "", "\uFFFD"));
}

TEST(IncrementalDecoder, LetsASkippedTokenBreakNoCharacter) {
  EXPECT_THAT(Pieces({0xD7, 300, 0xA9}, true), ElementsAre("", "", "\u05e9", ""));
  EXPECT_THAT(Pieces({0xD7, 300, 0xA9}, false), ElementsAre("", "\uFFFD<|user|>", "\uFFFD", ""));
}

TEST(IncrementalDecoder, ShowsNothingForUnknownIds) {
  EXPECT_THAT(Pieces({-5, 299, 'a'}), ElementsAre("", "", "a", ""));
}

}  // namespace
}  // namespace switchboard::text
