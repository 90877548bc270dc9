// Routers that go and come back.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/integration/gateway/harness.h"

namespace switchboard::gateway {
namespace {

using testing::HasSubstr;

constexpr char kShort[] = R"(,"max_tokens":1,"seed":0)";

doubles::DoubleOptions DoubleAt(const rpc::Address& address) {
  doubles::DoubleOptions options;
  options.listen = address;
  return options;
}

TEST(FailoverTest, ADeadRouterCostsNoRequest) {
  const std::unique_ptr<doubles::DoubleWorker> alive = StartDouble();
  const Gateway gateway(OptionsFor({NewSocketAddress(), alive->address()}));
  for (int i = 0; i < 4; ++i) EXPECT_EQ(gateway.AskChat("Hi", kShort).status, 200);
}

TEST(FailoverTest, RequestsGoRound) {
  const std::unique_ptr<doubles::DoubleWorker> one = StartDouble(), two = StartDouble();
  const Gateway gateway(OptionsFor({one->address(), two->address()}));
  for (int i = 0; i < 20; ++i) ASSERT_EQ(gateway.AskChat("Hi", kShort).status, 200);
  EXPECT_GT(one->counts().started, 0);
  EXPECT_GT(two->counts().started, 0);
  EXPECT_EQ(one->counts().started + two->counts().started, 20);
}

TEST(FailoverTest, ARouterWithoutWorkersChangesNothing) {
  doubles::DoubleOptions nothing;
  nothing.models = {};
  const std::unique_ptr<doubles::DoubleWorker> empty = StartDouble(nothing), full = StartDouble();
  const Gateway gateway(OptionsFor({empty->address(), full->address()}));
  for (int i = 0; i < 20; ++i) {
    ASSERT_EQ(gateway.Get("/health").status, 200);
    ASSERT_EQ(gateway.AskChat("Hi", kShort).status, 200);
  }
  EXPECT_EQ(full->counts().started, 20);
}

TEST(FailoverTest, HealthSaysThatTheRouterIsGoneAndThatItIsBack) {
  const rpc::Address address = NewSocketAddress();
  std::unique_ptr<doubles::DoubleWorker> router = StartDouble(DoubleAt(address));
  const Gateway gateway(OptionsFor({address}));
  EXPECT_EQ(gateway.Get("/health").status, 200);
  router.reset();
  EXPECT_TRUE(Eventually([&gateway] { return gateway.Get("/health").status == 503; }));
  EXPECT_THAT(gateway.Get("/health").body, HasSubstr("No router can be reached."));
  EXPECT_EQ(gateway.AskChat("Hi", kShort).status, 503);
  router = StartDouble(DoubleAt(address));
  EXPECT_TRUE(Eventually([&gateway] { return gateway.Get("/health").status == 200; }));
  EXPECT_EQ(gateway.AskChat("Hi", kShort).status, 200);
}

TEST(FailoverTest, AGatewayMayStartBeforeItsRouter) {
  const rpc::Address address = NewSocketAddress();
  const Gateway gateway(OptionsFor({address}));
  EXPECT_EQ(gateway.Get("/livez").status, 200);
  EXPECT_EQ(gateway.AskChat("Hi", kShort).status, 503);
  const std::unique_ptr<doubles::DoubleWorker> router = StartDouble(DoubleAt(address));
  EXPECT_TRUE(Eventually([&gateway] { return gateway.AskChat("Hi", kShort).status == 200; }));
}

TEST(FailoverTest, ANewFingerprintIsLearnt) {
  const rpc::Address address = NewSocketAddress();
  std::unique_ptr<doubles::DoubleWorker> router = StartDouble(DoubleAt(address));
  GatewayOptions options = OptionsFor({address});
  options.look_interval = absl::Hours(1);  // only a refused request makes it look again
  const Gateway gateway(options);
  ASSERT_EQ(gateway.AskChat("Hi", kShort).status, 200);
  router.reset();
  doubles::DoubleOptions next = DoubleAt(address);
  next.fingerprint = "double-2";
  router = StartDouble(next);
  EXPECT_TRUE(Eventually([&gateway] { return gateway.AskChat("Hi", kShort).status == 200; }));
}

}  // namespace
}  // namespace switchboard::gateway
