#include "http/admin_server.h"

#include <gtest/gtest.h>

#include "tests/support/status_matchers.h"
#include "tests/unit/http/raw_client.h"

namespace switchboard::http {
namespace {

using testing::HasSubstr;

TEST(AdminServerTest, ServesItsPagesOnAFreePort) {
  const auto admin = AdminServer::Start("127.0.0.1", 0, AdminOptions());
  ASSERT_THAT(admin, IsOk());
  ASSERT_GT((*admin)->port(), 0);
  RawClient client((*admin)->port());
  EXPECT_EQ(client.Ask("GET /health HTTP/1.1\r\nHost: x\r\n\r\n").status, 200);
  (*admin)->Stop();
  EXPECT_TRUE(client.ClosedByServer());
}

TEST(AdminServerTest, WantsATokenBeyondThisHost) {
  EXPECT_THAT(AdminServer::Start("0.0.0.0", 0, AdminOptions()),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("--admin-token-file")));
}

TEST(AdminServerTest, NamesItsFlagWhenThePortIsTaken) {
  const auto first = AdminServer::Start("127.0.0.1", 0, AdminOptions());
  ASSERT_THAT(first, IsOk());
  EXPECT_THAT(AdminServer::Start("127.0.0.1", (*first)->port(), AdminOptions()),
              StatusIs(absl::StatusCode::kAlreadyExists, HasSubstr("--admin-listen")));
}

}  // namespace
}  // namespace switchboard::http
