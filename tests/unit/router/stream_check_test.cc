#include "router/core/stream_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/status_matchers.h"

namespace switchboard::router {
namespace {

constexpr auto kInternal = absl::StatusCode::kInternal;

TokensEvent Tokens(int32_t choice, int32_t position, std::vector<int32_t> ids) {
  return {choice, position, std::move(ids), {}};
}
FinishedEvent Finished(int32_t choice) { return {choice, FinishedEvent::kStop, 0, false, 0}; }

TEST(StreamCheckTest, ChoicesAdvanceEachForItself) {
  StreamCheck check(2);
  EXPECT_THAT(check.Next(AcceptedEvent{}), IsOk());
  EXPECT_THAT(check.Next(Tokens(1, 0, {1, 2, 3})), IsOk());
  EXPECT_THAT(check.Next(Tokens(0, 0, {1})), IsOk());
  EXPECT_THAT(check.Next(Tokens(1, 3, {4})), IsOk());
  EXPECT_THAT(check.Next(Finished(1)), IsOk());
  EXPECT_THAT(check.Next(Tokens(0, 1, {2})), IsOk());
  EXPECT_THAT(check.Next(Finished(0)), IsOk());
  EXPECT_THAT(check.End(), IsOk());
  EXPECT_EQ(check.tokens(), 6);
}

TEST(StreamCheckTest, GapsAndRepeatsAreFound) {
  StreamCheck check(1);
  EXPECT_THAT(check.Next(AcceptedEvent{}), IsOk());
  EXPECT_THAT(check.Next(Tokens(0, 0, {1, 2})), IsOk());
  EXPECT_THAT(check.Next(Tokens(0, 1, {2})),
              StatusIs(kInternal, "position 1 of choice 0 where 2 is due"));
  EXPECT_THAT(check.Next(Tokens(0, 3, {4})),
              StatusIs(kInternal, "position 3 of choice 0 where 2 is due"));
}

TEST(StreamCheckTest, AcceptedComesFirstAndOnce) {
  StreamCheck check(1);
  EXPECT_THAT(check.Next(Tokens(0, 0, {1})),
              StatusIs(kInternal, "the first event is not Accepted"));
  EXPECT_THAT(check.End(), StatusIs(kInternal, "the stream ended without Accepted"));
  EXPECT_THAT(check.Next(AcceptedEvent{}), IsOk());
  EXPECT_THAT(check.Next(AcceptedEvent{}), StatusIs(kInternal, "a second Accepted"));
}

TEST(StreamCheckTest, ForeignChoicesAreFound) {
  StreamCheck check(2);
  EXPECT_THAT(check.Next(AcceptedEvent{}), IsOk());
  EXPECT_THAT(check.Next(Tokens(2, 0, {1})), StatusIs(kInternal, "choice 2 of 2"));
  EXPECT_THAT(check.Next(Finished(-1)), StatusIs(kInternal, "choice -1 of 2"));
}

TEST(StreamCheckTest, NothingFollowsTheEndOfAChoice) {
  StreamCheck check(1);
  EXPECT_THAT(check.Next(AcceptedEvent{}), IsOk());
  EXPECT_THAT(check.Next(Finished(0)), IsOk());
  EXPECT_THAT(check.Next(Tokens(0, 0, {1})), StatusIs(kInternal, "choice 0 goes on after its end"));
  EXPECT_THAT(check.Next(Finished(0)), StatusIs(kInternal, "choice 0 goes on after its end"));
}

TEST(StreamCheckTest, LogprobsAreOnePerTokenOrNone) {
  StreamCheck check(1);
  EXPECT_THAT(check.Next(AcceptedEvent{}), IsOk());
  TokensEvent tokens = Tokens(0, 0, {1, 2});
  tokens.logprobs.resize(1);
  EXPECT_THAT(check.Next(tokens),
              StatusIs(kInternal, "1 log-probabilities for 2 tokens of choice 0"));
  EXPECT_THAT(check.Next(Tokens(0, 0, {})), StatusIs(kInternal, "no tokens for choice 0"));
}

}  // namespace
}  // namespace switchboard::router
