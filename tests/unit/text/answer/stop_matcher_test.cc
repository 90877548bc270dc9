#include "text/answer/stop_matcher.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

namespace switchboard::text {
namespace {

using testing::ElementsAre;

// What each text shows, and the end.
std::vector<std::string> Shown(StopMatcher matcher, const std::vector<std::string>& texts) {
  std::vector<std::string> shown;
  for (const std::string& text : texts) shown.push_back(matcher.Add(text));
  shown.push_back(matcher.Finish());
  return shown;
}

TEST(StopMatcher, ShowsEverythingWithoutStopStrings) {
  EXPECT_THAT(Shown({{}, false}, {"a", "b"}), ElementsAre("a", "b", ""));
  EXPECT_THAT(Shown({{""}, false}, {"a", "b"}), ElementsAre("a", "b", ""));
}

TEST(StopMatcher, CutsAtTheExactCharacter) {
  StopMatcher matcher({"END"}, false);
  EXPECT_EQ(matcher.Add("one ENDtwo"), "one ");
  EXPECT_TRUE(matcher.stopped());
  EXPECT_EQ(matcher.stop_string(), "END");
  EXPECT_EQ(matcher.Add("three"), "");
  EXPECT_EQ(matcher.Finish(), "");
}

TEST(StopMatcher, IncludesTheStopStringWhenAsked) {
  StopMatcher matcher({"END"}, true);
  EXPECT_EQ(matcher.Add("oneEN"), "one");
  EXPECT_EQ(matcher.Add("Dtwo"), "END");
  EXPECT_TRUE(matcher.stopped());
}

TEST(StopMatcher, HoldsBackWhatCouldBecomeAStopString) {
  EXPECT_THAT(Shown({{"<end>"}, false}, {"a<", "en", "x<e"}), ElementsAre("a", "", "<enx", "<e"));
}

TEST(StopMatcher, ReleasesWhatIsHeldWhenTheTextEnds) {
  EXPECT_THAT(Shown({{"DREI\nZZZ"}, false}, {"EINS", " ZWEI", " DREI"}),
              ElementsAre("EINS", " ZWEI", " ", "DREI"));
}

TEST(StopMatcher, ShowsNothingTwice) {
  EXPECT_THAT(Shown({{"\n", "Nora:"}, false}, {" Nora", "?", " Yes"}),
              ElementsAre(" ", "Nora?", " Yes", ""));
}

TEST(StopMatcher, HoldsWholeCharacters) {
  EXPECT_THAT(Shown({{"\u00f1z"}, false}, {"\u00f1", "y"}), ElementsAre("", "\u00f1y", ""));
  EXPECT_THAT(Shown({{"\U0001F600!"}, false}, {"\U0001F600", "?"}),
              ElementsAre("", "\U0001F600?", ""));
  EXPECT_THAT(Shown({{"\u3002\n\u7528\u6237"}, false}, {"\u3002", "\n", "\u7528", "\u5fc3"}),
              ElementsAre("", "", "", "\u3002\n\u7528\u5fc3", ""));
}

TEST(StopMatcher, FindsAStopStringInTheMiddleOfTexts) {
  StopMatcher matcher({"</tool_call>"}, false);
  EXPECT_EQ(matcher.Add("x</tool_call"), "x");
  EXPECT_EQ(matcher.Add(">\n"), "");
  EXPECT_TRUE(matcher.stopped());
}

TEST(StopMatcher, RestartsWithinAPartialMatch) {
  StopMatcher matcher({"aab"}, false);
  EXPECT_EQ(matcher.Add("aaaab"), "aa");
  EXPECT_TRUE(matcher.stopped());
}

TEST(StopMatcher, EndsAtTheStopStringThatIsCompleteFirst) {
  StopMatcher matcher({"abcd", "bc"}, false);
  EXPECT_EQ(matcher.Add("xabcd"), "xa");
  EXPECT_EQ(matcher.stop_string(), "bc");
}

TEST(StopMatcher, TakesTheLongestOfThoseThatEndTogether) {
  StopMatcher matcher({"c", "abc", "bc"}, false);
  EXPECT_EQ(matcher.Add("xabc"), "x");
  EXPECT_EQ(matcher.stop_string(), "abc");
}

TEST(StopMatcher, PassesAStopStringThatIsCompletedUnarmed) {
  StopMatcher matcher({"ab"}, false);
  EXPECT_EQ(matcher.Add("xab", /*armed=*/false), "xab");
  EXPECT_EQ(matcher.Add("ya", /*armed=*/false), "y");
  EXPECT_EQ(matcher.Add("bz", /*armed=*/true), "");
  EXPECT_TRUE(matcher.stopped());
}

TEST(StopMatcher, ShowsTheSameHoweverTheTextIsCut) {
  std::mt19937 random(3);
  for (int round = 0; round < 2000; ++round) {
    const auto word = [&](size_t longest) {
      std::string out(1 + random() % longest, 'a');
      for (char& c : out) c = static_cast<char>('a' + random() % 2);
      return out;
    };
    const std::vector<std::string> stops = {word(5), word(5), word(7)};
    const std::string text = word(40);
    // The definition: the first end of any stop string, there the longest.
    std::string want = text;
    for (size_t end = 1; end <= text.size() && want == text; ++end) {
      size_t longest = 0;
      for (const std::string& stop : stops) {
        if (end >= stop.size() && text.compare(end - stop.size(), stop.size(), stop) == 0) {
          longest = std::max(longest, stop.size());
        }
      }
      if (longest > 0) want = text.substr(0, end - longest);
    }
    StopMatcher matcher(stops, false);
    std::string got;
    for (size_t at = 0; at < text.size();) {
      const size_t size = 1 + random() % 6;
      got += matcher.Add(absl::string_view(text).substr(at, size));
      at += size;
    }
    got += matcher.Finish();
    ASSERT_EQ(got, want) << text << " / " << stops[0] << " " << stops[1] << " " << stops[2];
  }
}

TEST(StopMatcher, TakesLinearTimeForALongStopString) {
  const std::string stop = std::string(100'000, 'a') + "b";
  StopMatcher matcher({stop}, false);
  EXPECT_EQ(matcher.Add(std::string(1'000'000, 'a') + "b").size(), 900'000u);
  EXPECT_TRUE(matcher.stopped());
}

}  // namespace
}  // namespace switchboard::text
