#include "base/host.h"

#include <gtest/gtest.h>

namespace switchboard {
namespace {

TEST(HostTest, LoopbackIsWhatOnlyThisHostReaches) {
  for (const char* host : {"localhost", "127.0.0.1", "127.255.255.254", "::1"}) {
    EXPECT_TRUE(IsLoopback(host)) << host;
  }
  for (const char* host : {"", "0.0.0.0", "::", "128.0.0.1", "10.0.0.1", "localhost.evil.com",
                           "127.0.0.1.evil.com", "::2", "[::1]"}) {
    EXPECT_FALSE(IsLoopback(host)) << host;
  }
}

TEST(HostTest, OnlyIpv6NeedsBrackets) {
  EXPECT_EQ(HostPort("127.0.0.1", 80), "127.0.0.1:80");
  EXPECT_EQ(HostPort("a.example", 0), "a.example:0");
  EXPECT_EQ(HostPort("::1", 8000), "[::1]:8000");
}

}  // namespace
}  // namespace switchboard
