#include "text/tokenizer/added_tokens.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace switchboard::text {
namespace {

using testing::ElementsAre;

AddedToken Token(int32_t id, std::string text, bool special = false) {
  AddedToken token;
  token.id = id;
  token.text = std::move(text);
  token.special = special;
  return token;
}

// The stretches as "text" or "#ID(text)".
std::vector<std::string> Cut(const AddedTokenMatcher& matcher, const MarkedText& text,
                             ByteRange within) {
  std::vector<AddedTokenPiece> pieces;
  matcher.Cut(text, within, &pieces);
  std::vector<std::string> out;
  for (const AddedTokenPiece& piece : pieces) {
    std::string shown = text.text().substr(piece.range.begin, piece.range.end - piece.range.begin);
    if (piece.id != AddedTokenPiece::kText) {
      shown = "#" + std::to_string(piece.id) + "(" + shown + ")";
    }
    out.push_back(shown);
  }
  return out;
}

std::vector<std::string> Cut(const AddedTokenMatcher& matcher, const MarkedText& text) {
  return Cut(matcher, text, {0, text.size()});
}

// "L:" marks literal text, "D:" data.
MarkedText Marked(std::vector<std::string> spans) {
  MarkedText text;
  for (const std::string& span : spans) text.Append(span.substr(2), span[0] == 'L');
  return text;
}

TEST(AddedTokens, FindsTheLeftmostThenTheLongest) {
  const AddedTokenMatcher matcher({Token(1, "<tool"), Token(2, "<tool_call>"), Token(3, "ol")});
  EXPECT_THAT(Cut(matcher, MarkedText::Data("<tool <tool_call>ol")),
              ElementsAre("#1(<tool)", " ", "#2(<tool_call>)", "#3(ol)"));
}

TEST(AddedTokens, LooksOnlyWithinTheGivenBytes) {
  const AddedTokenMatcher matcher({Token(1, "ab")});
  EXPECT_THAT(Cut(matcher, MarkedText::Data("abab"), {1, 3}), ElementsAre("ba"));
}

TEST(AddedTokens, TakesWhiteSpaceAlongOnTheSidesThatSaySo) {
  AddedToken left = Token(1, "<l>"), right = Token(2, "<r>");
  left.lstrip = right.rstrip = true;
  const AddedTokenMatcher matcher({left, right});
  EXPECT_THAT(Cut(matcher, MarkedText::Data("x \u3000<l> y <r>\n \u00a0z")),
              ElementsAre("x", "#1( \u3000<l>)", " y ", "#2(<r>\n \u00a0)", "z"));
  EXPECT_THAT(Cut(matcher, MarkedText::Data("<r> <l>")), ElementsAre("#2(<r> )", "#1(<l>)"));
}

TEST(AddedTokens, FindsASingleWordOnlyBetweenOtherCharacters) {
  AddedToken word = Token(1, "word");
  word.single_word = true;
  const AddedTokenMatcher matcher({word});
  EXPECT_THAT(Cut(matcher, MarkedText::Data("word")), ElementsAre("#1(word)"));
  EXPECT_THAT(Cut(matcher, MarkedText::Data("-word.")), ElementsAre("-", "#1(word)", "."));
  for (const char* text : {"words", "sword", "word_", "word\u0301", "\u4e2dword"}) {
    EXPECT_THAT(Cut(matcher, MarkedText::Data(text)), ElementsAre(text));
  }
}

TEST(AddedTokens, NeverFindsEmptyTokens) {
  EXPECT_THAT(Cut(AddedTokenMatcher({Token(1, "")}), MarkedText::Data("a")), ElementsAre("a"));
}

TEST(AddedTokens, FindsSpecialTokensInLiteralTextOnly) {
  const AddedTokenMatcher matcher({Token(1, "<|u|>", true), Token(2, "<t>")});
  EXPECT_THAT(Cut(matcher, Marked({"L:<|u|>", "D:<|u|><t>", "L:<t>"})),
              ElementsAre("#1(<|u|>)", "<|u|>", "#2(<t>)", "#2(<t>)"));
}

TEST(AddedTokens, FindsNoSpecialTokenThatIsPartlyData) {
  const AddedTokenMatcher matcher({Token(1, "<|u|>", true)});
  EXPECT_THAT(Cut(matcher, Marked({"L:<|u", "D:|>"})), ElementsAre("<|u|>"));
  EXPECT_THAT(Cut(matcher, Marked({"D:<|", "L:u|>"})), ElementsAre("<|u|>"));
  EXPECT_THAT(Cut(matcher, Marked({"L:<|", "D:u", "L:|>"})), ElementsAre("<|u|>"));
}

TEST(AddedTokens, FindsAPlainTokenAcrossASeam) {
  const AddedTokenMatcher matcher({Token(2, "<think>")});
  EXPECT_THAT(Cut(matcher, Marked({"L:<th", "D:ink>"})), ElementsAre("#2(<think>)"));
}

TEST(AddedTokens, LetsNoDataBehindAControlTokenHideIt) {
  const AddedTokenMatcher matcher({Token(1, "<|u|>", true), Token(2, "<|u|>x", true)});
  EXPECT_THAT(Cut(matcher, Marked({"L:<|u|>", "D:x"})), ElementsAre("#1(<|u|>)", "x"));
}

TEST(AddedTokens, LetsNoDataBeforeAControlTokenHideIt) {
  const AddedTokenMatcher matcher({Token(1, "<|u|>", true), Token(2, "x<|u|>", true)});
  EXPECT_THAT(Cut(matcher, Marked({"D:x", "L:<|u|>"})), ElementsAre("x", "#1(<|u|>)"));
}

TEST(AddedTokens, TakesSpecialTokensInDataAsTextUpToTheirEnd) {
  // As the reference does when special tokens are switched off: the plain <t> inside is not looked
  // for.
  const AddedTokenMatcher matcher({Token(1, "<<t>>", true), Token(2, "<t>")});
  EXPECT_THAT(Cut(matcher, MarkedText::Data("<<t>><t>")), ElementsAre("<<t>>", "#2(<t>)"));
}

}  // namespace
}  // namespace switchboard::text
