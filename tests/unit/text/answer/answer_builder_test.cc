#include "text/answer/answer_builder.h"

#include <gtest/gtest.h>

#include "tests/unit/text/tokenizer/small_tokenizer.h"

namespace switchboard::text {
namespace {

class AnswerBuilderTest : public testing::Test {
 protected:
  // All deltas of `ids` together, with the state of the last.
  AnswerDelta Whole(AnswerBuilder* builder, const Ids& ids) {
    AnswerDelta all;
    const auto add = [&](const AnswerDelta& delta) {
      all.reasoning += delta.reasoning;
      all.content += delta.content;
      all.stopped = delta.stopped;
      all.stop_string = delta.stop_string;
    };
    for (const int32_t id : ids) add(builder->Add(id));
    add(builder->Finish());
    return all;
  }
  AnswerDelta Whole(const AnswerOptions& options, const Ids& ids) {
    AnswerBuilder builder(tokenizer_.get(), options);
    return Whole(&builder, ids);
  }

  const std::unique_ptr<const Tokenizer> tokenizer_ = SmallTokenizer();
  // <think>hello</think>\n w<|end|>
  const Ids answer_ = {310, 259, 311, '\n', 260, 301};
};

TEST_F(AnswerBuilderTest, ShowsEverythingInlineByDefault) {
  const AnswerDelta all = Whole(AnswerOptions(), answer_);
  EXPECT_EQ(all.content, "<think>hello</think>\n w");
  EXPECT_EQ(all.reasoning, "");
  EXPECT_FALSE(all.stopped);
}

TEST_F(AnswerBuilderTest, ShowsSpecialTokensWhenTheyAreNotSkipped) {
  AnswerOptions options;
  options.skip_special = false;
  EXPECT_EQ(Whole(options, {260, 301}).content, " w<|end|>");
}

TEST_F(AnswerBuilderTest, SplitsTheThoughtAndCountsItsTokens) {
  AnswerOptions options;
  options.reasoning = ReasoningMode::kSplit;
  AnswerBuilder builder(tokenizer_.get(), options);
  const AnswerDelta all = Whole(&builder, answer_);
  EXPECT_EQ(all.reasoning, "hello");
  EXPECT_EQ(all.content, " w");
  EXPECT_EQ(builder.reasoning_tokens(), 3);
  EXPECT_EQ(builder.tokens(), 6);
}

TEST_F(AnswerBuilderTest, CountsReasoningTokensInEveryMode) {
  for (const ReasoningMode mode : {ReasoningMode::kInline, ReasoningMode::kDrop}) {
    AnswerOptions options;
    options.reasoning = mode;
    AnswerBuilder builder(tokenizer_.get(), options);
    Whole(&builder, answer_);
    EXPECT_EQ(builder.reasoning_tokens(), 3);
  }
}

TEST_F(AnswerBuilderTest, CountsAnEndlessThoughtWhole) {
  AnswerOptions options;
  options.thought = Thought::kOpen;
  AnswerBuilder builder(tokenizer_.get(), options);
  Whole(&builder, {259, 259});
  EXPECT_EQ(builder.reasoning_tokens(), 2);
}

TEST_F(AnswerBuilderTest, CountsNoReasoningBehindAClosedThought) {
  AnswerOptions options;
  options.thought = Thought::kClosed;
  AnswerBuilder builder(tokenizer_.get(), options);
  Whole(&builder, answer_);
  EXPECT_EQ(builder.reasoning_tokens(), 0);
}

TEST_F(AnswerBuilderTest, StopsAtTheExactCharacterWithinAToken) {
  AnswerOptions options;
  options.stops = {"ell"};
  AnswerBuilder builder(tokenizer_.get(), options);
  const AnswerDelta delta = builder.Add(259);
  EXPECT_EQ(delta.content, "h");
  EXPECT_TRUE(delta.stopped);
  EXPECT_EQ(delta.stop_string, "ell");
}

TEST_F(AnswerBuilderTest, IgnoresTokensBehindTheStop) {
  AnswerOptions options;
  options.stops = {"l"};
  AnswerBuilder builder(tokenizer_.get(), options);
  builder.Add(259);
  const AnswerDelta later = builder.Add(260);
  EXPECT_EQ(later.content, "");
  EXPECT_TRUE(later.stopped);
  EXPECT_EQ(builder.Finish().content, "");
  EXPECT_EQ(builder.tokens(), 1);
}

TEST_F(AnswerBuilderTest, LooksForStopStringsInContentOnly) {
  AnswerOptions options;
  options.reasoning = ReasoningMode::kSplit;
  options.stops = {"l", "</think>"};
  const AnswerDelta all = Whole(options, {310, 259, 311, 260, 259});
  EXPECT_EQ(all.reasoning, "hello");
  EXPECT_EQ(all.content, " whe");
  EXPECT_EQ(all.stop_string, "l");
}

TEST_F(AnswerBuilderTest, LooksForStopStringsInInlineThoughtsToo) {
  AnswerOptions options;
  options.stops = {"</think>"};
  EXPECT_EQ(Whole(options, answer_).content, "<think>hello");
}

TEST_F(AnswerBuilderTest, IgnoresStopStringsUntilMinTokens) {
  AnswerOptions options;
  options.stops = {"ll"};
  options.min_tokens = 3;
  EXPECT_EQ(Whole(options, {259, 260, 259, 260}).content, "hello whe");
  options.min_tokens = 4;
  EXPECT_EQ(Whole(options, {259, 260, 259, 260}).content, "hello whello w");
}

TEST_F(AnswerBuilderTest, HoldsBackAStopStringAcrossTokens) {
  AnswerOptions options;
  options.stops = {"o w"};
  options.include_stop = true;
  AnswerBuilder builder(tokenizer_.get(), options);
  EXPECT_EQ(builder.Add(259).content, "hell");
  EXPECT_EQ(builder.Add(260).content, "o w");
}

TEST_F(AnswerBuilderTest, ReleasesEverythingAtTheEnd) {
  AnswerOptions options;
  options.reasoning = ReasoningMode::kSplit;
  options.stops = {"<answer>!"};
  EXPECT_EQ(Whole(options, {'a', '<', 'a', 'n', 0xF0, 0x9F}).content, "a<an\uFFFD");
}

TEST_F(AnswerBuilderTest, StopsEvenOnWhatTheEndReleases) {
  AnswerOptions options;
  options.reasoning = ReasoningMode::kSplit;
  options.stops = {"<"};
  const AnswerDelta all = Whole(options, {'a', '<'});
  EXPECT_EQ(all.content, "a");
  EXPECT_TRUE(all.stopped);
}

TEST_F(AnswerBuilderTest, WritesTheSameTextTokenByTokenAsAtOnce) {
  const std::string text = "<think>\u4f60h\U0001F600</think>\n<answer>hello </ans</answer>\u00e9";
  AnswerOptions options;
  options.reasoning = ReasoningMode::kSplit;
  const AnswerDelta all = Whole(options, BytesAsIds(text));
  EXPECT_EQ(all.reasoning, "\u4f60h\U0001F600");
  EXPECT_EQ(all.content, "hello </ans\u00e9");
}

}  // namespace
}  // namespace switchboard::text
