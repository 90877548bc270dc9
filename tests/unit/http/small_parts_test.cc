#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdio>

#include "base/mapped_file.h"
#include "http/bearer.h"
#include "http/byte_budget.h"
#include "http/error_body.h"
#include "http/message.h"
#include "http/ready_file.h"
#include "http/request_id.h"
#include "tests/support/status_matchers.h"

namespace switchboard::http {
namespace {

using testing::HasSubstr;
using testing::MatchesRegex;

TEST(ErrorBodyTest, HasAllFourKeysInOrder) {
  EXPECT_EQ(
      ErrorBody("no", "invalid_request_error", "messages[0]", "invalid_type"),
      R"({"error":{"message":"no","type":"invalid_request_error","param":"messages[0]","code":"invalid_type"}})");
}

TEST(ErrorBodyTest, EmptyParamAndCodeAreNull) {
  EXPECT_EQ(ErrorBody("no", "server_error", "", ""),
            R"({"error":{"message":"no","type":"server_error","param":null,"code":null}})");
}

TEST(ErrorBodyTest, TheMessageIsOneLineOfValidUtf8) {
  EXPECT_EQ(
      ErrorBody("a\nb\r\xff", "t", "", ""),
      "{\"error\":{\"message\":\"a b \xef\xbf\xbd\",\"type\":\"t\",\"param\":null,\"code\":null}}");
}

TEST(BearerTest, TheTokenIsWhatFollowsTheScheme) {
  EXPECT_EQ(BearerToken("Bearer abc"), "abc");
  EXPECT_EQ(BearerToken("bearer  abc "), "abc");
  for (const char* header : {"", "Bearer", "Bearer ", "Bearerabc", "Basic abc", "abc"}) {
    EXPECT_EQ(BearerToken(header), "") << header;
  }
}

TEST(ErrorTypeTest, FollowsTheStatus) {
  EXPECT_EQ(ErrorType(400), "invalid_request_error");
  EXPECT_EQ(ErrorType(401), "authentication_error");
  EXPECT_EQ(ErrorType(403), "permission_error");
  EXPECT_EQ(ErrorType(404), "invalid_request_error");
  EXPECT_EQ(ErrorType(408), "timeout_error");
  EXPECT_EQ(ErrorType(413), "invalid_request_error");
  EXPECT_EQ(ErrorType(429), "rate_limit_error");
  EXPECT_EQ(ErrorType(500), "server_error");
  EXPECT_EQ(ErrorType(501), "not_supported_error");
  EXPECT_EQ(ErrorType(502), "server_error");
  EXPECT_EQ(ErrorType(503), "service_unavailable_error");
  EXPECT_EQ(ErrorType(504), "timeout_error");
}

TEST(RequestIdTest, TakesWhatCannotHarmALogLine) {
  EXPECT_TRUE(IsRequestId("req_1.A:b-c"));
  EXPECT_TRUE(IsRequestId(std::string(128, 'a')));
  EXPECT_FALSE(IsRequestId(""));
  EXPECT_FALSE(IsRequestId(std::string(129, 'a')));
  EXPECT_FALSE(IsRequestId("a b"));
  EXPECT_FALSE(IsRequestId("a\"b"));
  EXPECT_FALSE(IsRequestId("\xc3\xa4"));
}

TEST(RequestIdTest, NewIdsAreHexAndDiffer) {
  const std::string id = NewRequestId();
  EXPECT_THAT(id, MatchesRegex("[0-9a-f]*"));
  EXPECT_EQ(id.size(), 32u);
  EXPECT_NE(id, NewRequestId());
}

TEST(MessageTest, HeaderGivesTheFirstOfItsName) {
  Request request;
  request.headers = {{"a", "1"}, {"b", "2"}, {"a", "3"}};
  EXPECT_EQ(request.Header("a"), "1");
  EXPECT_EQ(request.Header("c"), "");
}

TEST(MessageTest, ReplyWithSaysHeadBodyEnd) {
  Head head;
  head.status = 201;
  const std::unique_ptr<Exchange> exchange = ReplyWith(head, "text");
  const Step first = exchange->Next();
  EXPECT_EQ(first.kind, Step::kHead);
  EXPECT_EQ(first.head.status, 201);
  const Step second = exchange->Next();
  EXPECT_EQ(second.kind, Step::kBody);
  EXPECT_EQ(second.body, "text");
  EXPECT_EQ(exchange->Next().kind, Step::kEnd);
}

TEST(ByteBudgetTest, SharesStayWithinTheLimitAndAreGivenBack) {
  const auto budget = std::make_shared<ByteBudget>(100);
  {
    ByteShare first(budget);
    EXPECT_TRUE(first.GrowTo(60));
    EXPECT_TRUE(first.GrowTo(50));
    ByteShare second(budget);
    EXPECT_FALSE(second.GrowTo(41));
    EXPECT_TRUE(second.GrowTo(40));
    EXPECT_EQ(budget->taken(), 100u);
  }
  EXPECT_EQ(budget->taken(), 0u);
}

TEST(ByteBudgetTest, AMovedShareIsGivenBackOnce) {
  const auto budget = std::make_shared<ByteBudget>(100);
  ByteShare first(budget);
  EXPECT_TRUE(first.GrowTo(60));
  ByteShare second = std::move(first);
  EXPECT_EQ(second.held(), 60u);
  EXPECT_EQ(budget->taken(), 60u);
  ByteShare third(budget);
  EXPECT_TRUE(third.GrowTo(30));
  third = std::move(second);  // its own 30 go back
  EXPECT_EQ(budget->taken(), 60u);
  third.GiveBack();
  third.GiveBack();
  EXPECT_EQ(budget->taken(), 0u);
}

TEST(ByteBudgetTest, AShareOfNoBudgetHoldsNothing) {
  ByteShare none;
  EXPECT_TRUE(none.GrowTo(0));
  EXPECT_FALSE(none.GrowTo(1));
  EXPECT_EQ(none.held(), 0u);
}

TEST(ReadyFileTest, IsWrittenAsJsonAndReplaced) {
  const std::string path = testing::TempDir() + "/switchboard_ready_test.json";
  ReadyInfo info;
  info.host = "127.0.0.1";
  info.port = 8000;
  EXPECT_THAT(WriteReadyFile(path, info), IsOk());
  EXPECT_EQ(ReadFile(path, 1000).value(), "{\"host\":\"127.0.0.1\",\"port\":8000}\n");
  info.admin_port = 9000;
  EXPECT_THAT(WriteReadyFile(path, info), IsOk());
  EXPECT_EQ(ReadFile(path, 1000).value(),
            "{\"host\":\"127.0.0.1\",\"port\":8000,\"admin_port\":9000}\n");
  std::remove(path.c_str());
}

TEST(ReadyFileTest, DoesNotReplaceWhatIsNoFile) {
  const std::string path = testing::TempDir() + "/switchboard_ready_pipe";
  std::remove(path.c_str());
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  EXPECT_THAT(WriteReadyFile(path, ReadyInfo()),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr(path)));
  struct stat there = {};
  EXPECT_EQ(::stat(path.c_str(), &there), 0);
  EXPECT_TRUE(S_ISFIFO(there.st_mode));
  std::remove(path.c_str());
}

TEST(ReadyFileTest, FailureNamesThePath) {
  EXPECT_THAT(WriteReadyFile("/no/such/folder/ready.json", ReadyInfo()),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("/no/such/folder/ready.json")));
}

}  // namespace
}  // namespace switchboard::http
