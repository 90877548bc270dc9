#include "gateway/handlers/answer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/status_matchers.h"
#include "tests/unit/gateway/byte_card.h"

namespace switchboard::gateway {
namespace {

using testing::ElementsAre;

// Writes down what the answer says: "0+text[bytes of logprobs]", "0=reason(stop_reason)".
class Recorder final : public openai::ReplyFormat {
 public:
  explicit Recorder(std::vector<std::string>* out) : out_(*out) {}
  std::string Begin(const openai::Usage&) override { return ""; }
  std::string Add(const openai::ReplyDelta& delta, const openai::Usage& usage) override {
    std::string line = std::to_string(delta.choice) + "+" + delta.content;
    if (!delta.reasoning.empty()) line += "{" + delta.reasoning + "}";
    for (const openai::LogprobEntry& entry : delta.logprobs) {
      line += "[" + entry.chosen.token + "]";
    }
    out_.push_back(line + " " + std::to_string(usage.completion_tokens));
    return "";
  }
  std::string Finish(const openai::ReplyEnding& ending, const openai::Usage& usage) override {
    std::string line = std::to_string(ending.choice) + "=" + std::string(ending.finish_reason);
    if (!ending.stop_reason.is_null()) line += "(" + SerializeJson(ending.stop_reason) + ")";
    for (const openai::LogprobEntry& entry : ending.logprobs) {
      line += "[" + entry.chosen.token + "]";
    }
    out_.push_back(line + " " + std::to_string(usage.completion_tokens));
    return "";
  }
  std::string End(const openai::Usage&) override { return ""; }

 private:
  std::vector<std::string>& out_;
};

class AnswerTest : public testing::Test {
 protected:
  Answer Make(ChoiceOptions options, int choices = 1) {
    AnswerPlan plan;
    plan.model = MakeModel(ByteCard());
    plan.choice = std::move(options);
    plan.choices = choices;
    plan.prompt_tokens = 7;
    plan.format = std::make_unique<Recorder>(&said_);
    return Answer(std::move(plan));
  }

  static Tokens Text(int choice, int64_t position, absl::string_view text) {
    Tokens tokens;
    tokens.choice = choice;
    tokens.position = position;
    tokens.ids = Bytes(text);
    return tokens;
  }
  static Tokens WithLogprobs(Tokens tokens) {
    for (int32_t id : tokens.ids) tokens.logprobs.push_back({-0.5f, {{id, -0.5f}, {65, -1.0f}}});
    return tokens;
  }
  static Finished Stop(int choice, int64_t tokens) {
    Finished finished;
    finished.choice = choice;
    finished.stop_token_id = kEndToken;
    finished.completion_tokens = tokens;
    return finished;
  }

  std::vector<std::string> said_;
};

TEST_F(AnswerTest, EachTokenIsAPieceAndTheStopTokenCounts) {
  Answer answer = Make({});
  ASSERT_THAT(answer.Add(Text(0, 0, "ab")), IsOk());
  ASSERT_THAT(answer.Add(Text(0, 2, "c")), IsOk());
  EXPECT_FALSE(answer.complete());
  ASSERT_THAT(answer.Finish(Stop(0, 4)), IsOk());
  EXPECT_TRUE(answer.complete());
  EXPECT_THAT(said_, ElementsAre("0+a 1", "0+b 2", "0+c 3", "0=stop 4"));
  EXPECT_EQ(answer.usage().prompt_tokens, 7);
  EXPECT_EQ(answer.usage().completion_tokens, 4);
}

TEST_F(AnswerTest, HalfACharacterWaitsForItsRest) {
  Answer answer = Make({});
  ASSERT_THAT(answer.Add(Text(0, 0, "\xE4\xBD\xA0")), IsOk());
  EXPECT_THAT(said_, ElementsAre("0+\xE4\xBD\xA0 3"));
}

TEST_F(AnswerTest, StopStringEndsTheChoiceWhateverComesAfter) {
  ChoiceOptions options;
  options.answer.stops = {"END"};
  Answer answer = Make(options);
  ASSERT_THAT(answer.Add(Text(0, 0, "abENDcd")), IsOk());
  EXPECT_TRUE(answer.complete());
  EXPECT_THAT(said_, ElementsAre("0+a 1", "0+b 2", "0=stop(\"END\") 5"));
  EXPECT_EQ(answer.usage().completion_tokens, 5);
}

TEST_F(AnswerTest, TheOtherChoicesGoOnAfterAStop) {
  ChoiceOptions options;
  options.answer.stops = {"X"};
  Answer answer = Make(options, 2);
  ASSERT_THAT(answer.Add(Text(0, 0, "X")), IsOk());
  ASSERT_THAT(answer.Add(Text(0, 1, "yy")), IsOk());
  ASSERT_THAT(answer.Finish(Stop(0, 4)), IsOk());
  EXPECT_FALSE(answer.complete());
  ASSERT_THAT(answer.Add(Text(1, 0, "z")), IsOk());
  ASSERT_THAT(answer.Finish(Stop(1, 2)), IsOk());
  EXPECT_TRUE(answer.complete());
  EXPECT_THAT(said_, ElementsAre("0=stop(\"X\") 1", "1+z 2", "1=stop 3"));
}

TEST_F(AnswerTest, HeldBackTextComesOutAtTheEnd) {
  ChoiceOptions options;
  options.answer.stops = {"END"};
  Answer answer = Make(options);
  ASSERT_THAT(answer.Add(Text(0, 0, "EN")), IsOk());
  Finished finished;
  finished.by_length = true;
  finished.completion_tokens = 2;
  ASSERT_THAT(answer.Finish(finished), IsOk());
  EXPECT_THAT(said_, ElementsAre("0+EN 2", "0=length 2"));
}

TEST_F(AnswerTest, RequestedStopTokenIsTheReason) {
  Answer answer = Make({});
  Finished finished = Stop(0, 1);
  finished.stop_token_id = 42;
  finished.stop_token_requested = true;
  ASSERT_THAT(answer.Finish(finished), IsOk());
  EXPECT_THAT(said_, ElementsAre("0=stop(42) 1"));
}

TEST_F(AnswerTest, LogprobsOfHeldTokensRideWithTheFirstText) {
  ChoiceOptions options;
  options.logprobs = true;
  options.top_logprobs = 1;
  options.answer.stops = {"bX"};
  Answer answer = Make(options);
  ASSERT_THAT(answer.Add(WithLogprobs(Text(0, 0, "abc"))), IsOk());
  EXPECT_THAT(said_, ElementsAre("0+a[a] 1", "0+bc[b][c] 3"));
}

TEST_F(AnswerTest, LogprobsOfARemovedStopStringAreLeftOut) {
  ChoiceOptions options;
  options.logprobs = true;
  options.answer.stops = {"bX"};
  Answer answer = Make(options);
  ASSERT_THAT(answer.Add(WithLogprobs(Text(0, 0, "abX"))), IsOk());
  EXPECT_THAT(said_, ElementsAre("0+a[a] 1", "0=stop(\"bX\") 3"));
}

TEST_F(AnswerTest, ASpecialTokenThatTheTextLeavesOutHasANameButNoBytes) {
  ChoiceOptions options;
  options.logprobs = true;
  AnswerPlan plan;
  plan.model = MakeModel(ByteCard());
  plan.choice = options;
  openai::ReplyOptions form;
  form.logprobs = true;
  plan.format = openai::MakeChatReply({}, form);
  Answer answer(std::move(plan));
  Tokens tokens;
  tokens.ids = {'a', kEndToken, 'b'};
  ASSERT_THAT(answer.Add(WithLogprobs(tokens)), IsOk());
  Finished finished;
  finished.by_length = true;
  finished.completion_tokens = 3;
  ASSERT_THAT(answer.Finish(finished), IsOk());
  const Pieces pieces = answer.End();
  ASSERT_EQ(pieces.size(), 1u);
  const Json reply = *ParseJson(pieces[0]);
  EXPECT_EQ(reply.at("choices").at(0).at("message").at("content"), "ab");
  const JsonArray& entries = reply.at("choices").at(0).at("logprobs").at("content").as_array();
  ASSERT_EQ(entries.size(), 3u);
  EXPECT_EQ(entries[0].at("bytes"), (JsonArray{'a' + 0}));
  EXPECT_EQ(entries[1].at("token"), "<|end|>");
  EXPECT_TRUE(entries[1].at("bytes").is_null());
  EXPECT_EQ(entries[2].at("bytes"), (JsonArray{'b' + 0}));
}

TEST_F(AnswerTest, LogprobTokensMayBeIds) {
  ChoiceOptions options;
  options.logprobs = true;
  options.tokens_as_ids = true;
  Answer answer = Make(options);
  ASSERT_THAT(answer.Add(WithLogprobs(Text(0, 0, "a"))), IsOk());
  EXPECT_THAT(said_, ElementsAre("0+a[token_id:97] 1"));
}

TEST_F(AnswerTest, ThoughtsAreSplitWhenAskedFor) {
  ChoiceOptions options;
  options.answer.reasoning = text::ReasoningMode::kSplit;
  Answer answer = Make(options);
  Tokens tokens;
  tokens.ids = {kThinkToken, 'h', kUnthinkToken, 'a'};
  ASSERT_THAT(answer.Add(tokens), IsOk());
  ASSERT_THAT(answer.Finish(Stop(0, 5)), IsOk());
  EXPECT_THAT(said_, ElementsAre("0+{h} 2", "0+a 4", "0=stop 5"));
  EXPECT_EQ(answer.usage().reasoning_tokens, 3);
}

TEST_F(AnswerTest, GapsRepeatsAndStrayEventsAreProtocolErrors) {
  const auto kInternal = absl::StatusCode::kInternal;
  EXPECT_THAT(Make({}).Add(Text(0, 1, "a")).status(),
              StatusIs(kInternal, testing::HasSubstr("token 1 came where 0")));
  EXPECT_THAT(Make({}).Add(Text(1, 0, "a")).status(),
              StatusIs(kInternal, testing::HasSubstr("choice 1 of 1")));
  EXPECT_THAT(Make({}).Add(Text(-1, 0, "a")).status(),
              StatusIs(kInternal, testing::HasSubstr("choice -1")));
  Answer answer = Make({}, 2);
  ASSERT_THAT(answer.Finish(Stop(0, 1)), IsOk());
  EXPECT_THAT(answer.Finish(Stop(0, 1)).status(),
              StatusIs(kInternal, testing::HasSubstr("ended twice")));
  EXPECT_THAT(answer.Add(Text(0, 0, "a")).status(),
              StatusIs(kInternal, testing::HasSubstr("after the end")));
  ChoiceOptions options;
  options.logprobs = true;
  EXPECT_THAT(Make(options).Add(Text(0, 0, "a")).status(),
              StatusIs(kInternal, testing::HasSubstr("log-probabilities")));
}

}  // namespace
}  // namespace switchboard::gateway
