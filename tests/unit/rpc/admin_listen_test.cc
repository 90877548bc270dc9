#include "rpc/admin_listen.h"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/status_matchers.h"

namespace switchboard::rpc {
namespace {

using testing::HasSubstr;

std::string FileWith(const std::string& content) {
  const std::string path = testing::TempDir() + "/admin_token";
  std::ofstream(path) << content;
  return path;
}

TEST(ReadAdminListen, WithoutAnAddressThereIsNoListener) {
  const auto admin = ReadAdminListen("", "");
  ASSERT_THAT(admin, IsOk());
  EXPECT_FALSE(admin->address.has_value());
  EXPECT_EQ(admin->token, "");
}

TEST(ReadAdminListen, TakesAnAddressAndATokenWithoutTheSpaceAroundIt) {
  const auto admin = ReadAdminListen("127.0.0.1:0", FileWith(" secret\n"));
  ASSERT_THAT(admin, IsOk());
  EXPECT_EQ(admin->address->ToString(), "127.0.0.1:0");
  EXPECT_EQ(admin->token, "secret");
}

TEST(ReadAdminListen, NamesTheBadFlag) {
  constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;
  EXPECT_THAT(ReadAdminListen("nowhere", ""), StatusIs(kInvalid, HasSubstr("--admin-listen")));
  EXPECT_THAT(ReadAdminListen("unix:/x", ""),
              StatusIs(kInvalid, HasSubstr("--admin-listen=unix:/x")));
  EXPECT_THAT(ReadAdminListen("", FileWith(" \n")),
              StatusIs(kInvalid, HasSubstr("--admin-token-file")));
  EXPECT_THAT(ReadAdminListen("", "/no/such/file"),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("--admin-token-file")));
}

}  // namespace
}  // namespace switchboard::rpc
