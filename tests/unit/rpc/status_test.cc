#include "rpc/status.h"

#include <gtest/gtest.h>

#include <string>

namespace switchboard::rpc {
namespace {

TEST(StatusTest, CodeAndMessageSurviveBothWays) {
  for (int code = 1; code <= 16; ++code) {
    const absl::Status status(static_cast<absl::StatusCode>(code), "why");
    const grpc::Status sent = ToGrpc(status);
    EXPECT_EQ(static_cast<int>(sent.error_code()), code);
    EXPECT_EQ(sent.error_message(), "why");
    EXPECT_EQ(ToAbsl(sent), status);
  }
}

TEST(StatusTest, OkHasNoMessage) {
  EXPECT_TRUE(ToGrpc(absl::OkStatus()).ok());
  EXPECT_TRUE(ToAbsl(grpc::Status::OK).ok());
}

TEST(StatusTest, ALongMessageIsCutAtACharacter) {
  // 1,999 bytes, then a character of two bytes across the limit of 2,000.
  const std::string message = std::string(1999, 'x') + "\xC3\xA9" + "tail";
  EXPECT_EQ(ToGrpc(absl::InternalError(message)).error_message(), std::string(1999, 'x'));
  EXPECT_EQ(ToGrpc(absl::InternalError(std::string(2000, 'x'))).error_message().size(), 2000u);
}

}  // namespace
}  // namespace switchboard::rpc
