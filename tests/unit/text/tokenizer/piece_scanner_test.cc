// The scanner against the regular expression engine, which is the judge.
#include "text/tokenizer/piece_scanner.h"

#include <gtest/gtest.h>
#include <unicode/uchar.h>

#include <random>
#include <string>
#include <vector>

#include "base/check.h"
#include "base/utf8.h"
#include "text/tokenizer/known_patterns.h"
#include "text/tokenizer/split_pattern.h"

namespace switchboard::text {
namespace {

std::vector<std::string> Pieces(const SplitPattern& pattern, absl::string_view text) {
  std::vector<std::string> pieces;
  MatchScratch scratch;
  size_t at = 0;
  while (at < text.size()) {
    const absl::optional<ByteRange> match = pattern.Find(text, at, &scratch);
    if (!match.has_value() || match->begin != at || match->end == at)
      return {"no match at", pieces.empty() ? "0" : pieces.back()};
    pieces.emplace_back(text.substr(at, match->end - at));
    at = match->end;
  }
  return pieces;
}

// A known pattern, by hand and by the engine.
struct Pair {
  const char* regex;
  SplitPattern scanned, matched;
};

const std::vector<Pair>& Pairs() {
  static const std::vector<Pair>& pairs = *[] {
    auto* made = new std::vector<Pair>;
    for (const char* regex : {kGpt2Pattern, kCl100kPattern, kQwen2Pattern}) {
      CHECK(PieceScanner::For(regex).has_value());
      auto scanned = SplitPattern::Compile(regex), matched = SplitPattern::CompileForEngine(regex);
      CHECK(scanned.ok() && matched.ok());
      made->push_back({regex, *std::move(scanned), *std::move(matched)});
    }
    return made;
  }();
  return pairs;
}

void ExpectEqualPieces(absl::string_view text) {
  for (const Pair& pair : Pairs()) {
    ASSERT_EQ(Pieces(pair.scanned, text), Pieces(pair.matched, text)) << pair.regex;
  }
}

// Whether ICU and the engine know `c` from the same versions of Unicode (PCRE2 10.42: 14.0).
bool IsOldEnough(UChar32 c) {
  UVersionInfo version;
  u_charAge(c, version);
  return version[0] <= 14;
}

TEST(PieceScanner, KnowsOnlyTheExactPatterns) {
  EXPECT_FALSE(PieceScanner::For("\\p{L}+").has_value());
  EXPECT_FALSE(PieceScanner::For(std::string(kCl100kPattern) + " ").has_value());
}

TEST(PieceScanner, AgreesOnEveryShortTextOfOneCharacterOfEachKind) {
  // Letters, digits, line ends, spaces, others, and what contractions are made of.
  const std::vector<std::string> alphabet = {"a",  "S", "\u017F", "1",      "\u00bd", "\n",
                                             "\r", " ", "\t",     "\u3000", "'",      "!",
                                             "l",  "e", "r",      "\u0301"};
  std::vector<std::string> texts = {""};
  for (int length = 1; length <= 4; ++length) {
    std::vector<std::string> longer;
    std::string joined;
    for (const std::string& text : texts) {
      for (const std::string& c : alphabet) longer.push_back(text + c);
    }
    texts = std::move(longer);
    if (length == 4) {
      // As one text: what stands around the short ones varies, too.
      for (const std::string& text : texts) joined += text;
      ExpectEqualPieces(joined);
    } else {
      for (const std::string& text : texts) ExpectEqualPieces(text);
    }
  }
}

TEST(PieceScanner, AgreesOnRandomTexts) {
  std::mt19937 random(1);
  const std::string common = "aeiou THEsdrvml'\"123 \n\r\t .,;!?-_()  ";
  for (int round = 0; round < 2000; ++round) {
    std::string text;
    const size_t length = 1 + random() % 200;
    for (size_t i = 0; i < length; ++i) {
      UChar32 c = common[random() % common.size()];
      if (random() % 4 == 0) c = static_cast<UChar32>(random() % 0x3100);
      if (random() % 16 == 0) c = static_cast<UChar32>(random() % 0x110000);
      if (!IsOldEnough(c)) c = 'x';
      AppendUtf8(static_cast<char32_t>(c), &text);  // surrogates become U+FFFD
    }
    ExpectEqualPieces(text);
  }
}

TEST(PieceScanner, AgreesOnEveryAssignedCharacter) {
  std::string text;
  for (UChar32 c = 0; c < 0x110000; ++c) {
    const bool assigned = u_charType(c) != U_UNASSIGNED && u_charType(c) != U_PRIVATE_USE_CHAR;
    if (U_IS_SURROGATE(c) || !IsOldEnough(c) || (!assigned && c % 101 != 0)) continue;
    text += 'a';
    AppendUtf8(static_cast<char32_t>(c), &text);
    text += "1 ";
  }
  ExpectEqualPieces(text);
}

TEST(PieceScanner, TakesWhiteSpaceAsUnicodeNamesIt) {
  const auto pattern = SplitPattern::Compile(kCl100kPattern);
  ASSERT_TRUE(pattern.ok());
  using Strings = std::vector<std::string>;
  EXPECT_EQ(Pieces(*pattern, "x \u180e!"), (Strings{"x", " \u180e!"}));
  EXPECT_EQ(Pieces(*pattern, "x \u0085!"), (Strings{"x", " ", "\u0085", "!"}));
  EXPECT_EQ(Pieces(*pattern, "x\u200b\ufeff!"), (Strings{"x", "\u200b\ufeff!"}));
  EXPECT_EQ(Pieces(*pattern, "it'\u017F"), (Strings{"it", "'\u017F"}));
}

TEST(PieceScanner, KnowsLettersOfUnicode15) {
  const auto pattern = SplitPattern::Compile(kCl100kPattern);
  ASSERT_TRUE(pattern.ok());
  EXPECT_EQ(Pieces(*pattern, "a\U00031350b"), (std::vector<std::string>{"a\U00031350b"}));
}

}  // namespace
}  // namespace switchboard::text
