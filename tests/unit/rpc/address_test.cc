#include "rpc/address.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace switchboard::rpc {
namespace {

using ::testing::HasSubstr;

void ExpectRefused(absl::string_view text, absl::string_view reason) {
  const auto address = ParseDialAddress(text);
  ASSERT_FALSE(address.ok()) << text;
  EXPECT_EQ(address.status().code(), absl::StatusCode::kInvalidArgument) << text;
  EXPECT_THAT(std::string(address.status().message()), HasSubstr(std::string(reason))) << text;
}

TEST(AddressTest, HostAndPortAreTakenApart) {
  const auto address = ParseDialAddress("worker-0.pool:50061");
  ASSERT_TRUE(address.ok()) << address.status();
  EXPECT_EQ(address->host, "worker-0.pool");
  EXPECT_EQ(address->port, 50061);
  EXPECT_FALSE(address->is_unix());
  EXPECT_EQ(address->ToString(), "worker-0.pool:50061");
}

TEST(AddressTest, AnIpv6HostStandsInBrackets) {
  const auto address = ParseDialAddress("[::1]:80");
  ASSERT_TRUE(address.ok()) << address.status();
  EXPECT_EQ(address->host, "::1");
  EXPECT_EQ(address->ToString(), "[::1]:80");
  ExpectRefused("::1:80", "is not host:port");
  ExpectRefused("[::g]:80", "has no IPv6 address in its brackets");
}

TEST(AddressTest, UnixColonIsASocketPath) {
  const auto address = ParseDialAddress("unix:/run/switchboard/router.sock");
  ASSERT_TRUE(address.ok()) << address.status();
  EXPECT_TRUE(address->is_unix());
  EXPECT_EQ(address->path, "/run/switchboard/router.sock");
  EXPECT_EQ(address->ToString(), "unix:/run/switchboard/router.sock");
}

TEST(AddressTest, ASocketPathHasAtMost107Bytes) {
  EXPECT_TRUE(ParseDialAddress("unix:/" + std::string(106, 'x')).ok());
  ExpectRefused("unix:/" + std::string(107, 'x'), "has a path of 108 bytes; a socket path has 107");
  ExpectRefused("unix:", "has no path");
}

TEST(AddressTest, PortZeroIsForListeningOnly) {
  const auto address = ParseListenAddress("127.0.0.1:0");
  ASSERT_TRUE(address.ok()) << address.status();
  EXPECT_EQ(address->port, 0);
  ExpectRefused("127.0.0.1:0", "needs a port from 1 to 65535");
}

TEST(AddressTest, PortsAreDecimalNumbersUpTo65535) {
  EXPECT_TRUE(ParseDialAddress("h:65535").ok());
  for (const char* text :
       {"h:65536", "h:", "h:+5", "h:-5", "h: 5", "h:5x", "h:000005", "h:99999999999"}) {
    ExpectRefused(text, "needs a port from 1 to 65535");
  }
}

TEST(AddressTest, AHostIsNamedAndPlain) {
  ExpectRefused("", "has no port");
  ExpectRefused("localhost", "has no port");
  ExpectRefused(":80", "has no host");
  ExpectRefused("http://h:80", "is not host:port");
  ExpectRefused("a b:80", "is not host:port");
  ExpectRefused(std::string(254, 'a') + ":80", "more than 253 characters");
}

TEST(AddressTest, AListIsSplitAtCommas) {
  const auto addresses = ParseDialAddresses("a:1, unix:/b");
  ASSERT_TRUE(addresses.ok()) << addresses.status();
  ASSERT_EQ(addresses->size(), 2u);
  EXPECT_EQ((*addresses)[0].ToString(), "a:1");
  EXPECT_EQ((*addresses)[1].ToString(), "unix:/b");
}

TEST(AddressTest, AListWithAnAddressTwiceIsRefused) {
  const auto addresses = ParseDialAddresses("a:1,b:1,a:1");
  ASSERT_FALSE(addresses.ok());
  EXPECT_EQ(addresses.status().message(), "address \"a:1\" is given twice");
  EXPECT_FALSE(ParseDialAddresses("").ok());
  EXPECT_FALSE(ParseDialAddresses("a:1,").ok());
}

TEST(AddressTest, LoopbackAndSocketsAreLocal) {
  for (const char* text : {"localhost:1", "127.0.0.1:1", "127.9.9.9:1", "[::1]:1", "unix:/a"}) {
    EXPECT_TRUE(ParseDialAddress(text)->IsLocal()) << text;
  }
  for (const char* text : {"0.0.0.0:1", "10.0.0.1:1", "[::]:1", "worker:1", "128.0.0.1:1"}) {
    EXPECT_FALSE(ParseDialAddress(text)->IsLocal()) << text;
  }
}

}  // namespace
}  // namespace switchboard::rpc
