#include "router/core/failure.h"

#include <gtest/gtest.h>

namespace switchboard::router {
namespace {

using Code = absl::StatusCode;

Failure Of(Code code) { return Classify(absl::Status(code, "x")); }

TEST(FailureTest, AConnectionThatBreaksIsTheWorkersLoss) {
  EXPECT_EQ(Of(Code::kUnavailable), Failure::kWorkerLost);
  EXPECT_EQ(Of(Code::kCancelled), Failure::kWorkerLost);
  EXPECT_EQ(Of(Code::kUnknown), Failure::kWorkerLost);
}

TEST(FailureTest, BackPressureIsNoFailureOfTheWorker) {
  EXPECT_EQ(Of(Code::kResourceExhausted), Failure::kRefused);
}

TEST(FailureTest, EverythingElseIsTheRequests) {
  for (const Code code :
       {Code::kInvalidArgument, Code::kNotFound, Code::kFailedPrecondition, Code::kOutOfRange,
        Code::kUnimplemented, Code::kInternal, Code::kDataLoss, Code::kDeadlineExceeded,
        Code::kPermissionDenied, Code::kUnauthenticated}) {
    EXPECT_EQ(Of(code), Failure::kOfRequest) << absl::StatusCodeToString(code);
  }
}

}  // namespace
}  // namespace switchboard::router
