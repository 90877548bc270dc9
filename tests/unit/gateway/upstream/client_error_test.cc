#include "gateway/upstream/client_error.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gateway/openai/error.h"
#include "tests/support/status_matchers.h"
#include "tests/unit/gateway/openai/error_case.h"

namespace switchboard::gateway {
namespace {

using absl::StatusCode;
using openai::Verdict;
using testing::ElementsAre;
using testing::Pair;

absl::Status Before(StatusCode code, const char* message = "10.0.0.1 said no") {
  return ClientError(absl::Status(code, message), false, std::nullopt, "m",
                     {"messages[0].content[0].image_url.url", "images[0]"});
}

TEST(ClientErrorTest, BeforeTheAcceptanceTheCodeDecides) {
  EXPECT_EQ(Verdict(Before(StatusCode::kInvalidArgument)), "400 invalid_value -");
  EXPECT_EQ(Verdict(Before(StatusCode::kNotFound)), "404 model_not_found model");
  EXPECT_EQ(Verdict(Before(StatusCode::kResourceExhausted)), "503 server_is_overloaded -");
  EXPECT_EQ(Verdict(Before(StatusCode::kUnavailable)), "503 no_healthy_worker -");
  EXPECT_EQ(Verdict(Before(StatusCode::kCancelled)), "503 no_healthy_worker -");
  EXPECT_EQ(Verdict(Before(StatusCode::kDeadlineExceeded)), "504 deadline_exceeded -");
  EXPECT_EQ(Verdict(Before(StatusCode::kInternal)), "502 upstream_error -");
  EXPECT_EQ(Verdict(Before(StatusCode::kDataLoss)), "502 upstream_error -");
  EXPECT_EQ(Verdict(Before(StatusCode::kUnimplemented)), "501 not_implemented -");
}

TEST(ClientErrorTest, AnOutdatedFingerprintIsForTheGatewayItself) {
  EXPECT_THAT(Before(StatusCode::kFailedPrecondition),
              StatusIs(StatusCode::kFailedPrecondition, "10.0.0.1 said no"));
}

TEST(ClientErrorTest, MessagesAboutServersStayInside) {
  for (StatusCode code : {StatusCode::kResourceExhausted, StatusCode::kUnavailable,
                          StatusCode::kInternal, StatusCode::kDeadlineExceeded}) {
    EXPECT_THAT(std::string(Before(code).message()), testing::Not(testing::HasSubstr("10.0.0.1")));
  }
  EXPECT_THAT(std::string(Before(StatusCode::kInvalidArgument, "too long").message()), "too long");
}

TEST(ClientErrorTest, AnImageIsNamedByItsPlaceInTheRequest) {
  EXPECT_EQ(Verdict(Before(StatusCode::kInvalidArgument, "media[1]: cut off")),
            "400 invalid_image images[0]");
  EXPECT_THAT(std::string(Before(StatusCode::kInvalidArgument, "media[1]: cut off").message()),
              "cut off");
  EXPECT_EQ(Verdict(Before(StatusCode::kInvalidArgument, "media[2]: x")), "400 invalid_value -");
  EXPECT_EQ(Verdict(Before(StatusCode::kInvalidArgument, "media[")), "400 invalid_value -");
}

TEST(ClientErrorTest, AfterTheAcceptanceTheWorkerWasLost) {
  for (StatusCode code :
       {StatusCode::kUnavailable, StatusCode::kResourceExhausted, StatusCode::kInvalidArgument,
        StatusCode::kFailedPrecondition, StatusCode::kInternal}) {
    EXPECT_EQ(Verdict(ClientError(absl::Status(code, "x"), true, std::nullopt, "m", {})),
              "502 upstream_error -");
  }
  EXPECT_EQ(Verdict(ClientError(absl::DeadlineExceededError("x"), true, std::nullopt, "m", {})),
            "504 deadline_exceeded -");
}

TEST(ClientErrorTest, RetryAfterIsPassedOn) {
  const absl::Status error =
      ClientError(absl::ResourceExhaustedError("x"), false, absl::Seconds(7), "m", {});
  EXPECT_THAT(openai::ToErrorReply(error).headers, ElementsAre(Pair("Retry-After", "7")));
}

}  // namespace
}  // namespace switchboard::gateway
