#include "router/probe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <prometheus/text_serializer.h>

namespace switchboard::router {
namespace {

using ::testing::HasSubstr;

class ProbeTest : public ::testing::Test {
 protected:
  std::string Text() const { return prometheus::TextSerializer().Serialize(registry_.Collect()); }

  prometheus::Registry registry_;
  Probe probe_{&registry_, {"a:1", "b:1"}};
};

TEST_F(ProbeTest, RequestsAndAttemptsAreCountedByCode) {
  probe_.RequestEnded(absl::StatusCode::kOk, absl::Seconds(2));
  probe_.RequestEnded(absl::StatusCode::kUnavailable, absl::Seconds(3));
  probe_.AttemptEnded(absl::StatusCode::kUnavailable);
  EXPECT_THAT(Text(), HasSubstr("switchboard_router_requests_total{code=\"ok\"} 1\n"));
  EXPECT_THAT(Text(), HasSubstr("switchboard_router_requests_total{code=\"unavailable\"} 1\n"));
  EXPECT_THAT(Text(), HasSubstr("switchboard_router_attempts_total{code=\"unavailable\"} 1\n"));
  EXPECT_THAT(Text(), HasSubstr("switchboard_router_request_seconds_sum 5\n"));
}

TEST_F(ProbeTest, OnlyLaterAttemptsAreRetries) {
  probe_.AttemptStarted(1);
  probe_.AttemptStarted(2);
  EXPECT_THAT(Text(), HasSubstr("switchboard_router_retries_total 1\n"));
}

TEST_F(ProbeTest, LoadAndWorkersAreGauges) {
  probe_.SetLoad(3, 2, 100);
  probe_.SetWorkerUp(1, true);
  EXPECT_THAT(Text(), HasSubstr("switchboard_router_requests_running 3\n"));
  EXPECT_THAT(Text(), HasSubstr("switchboard_router_requests_waiting 2\n"));
  EXPECT_THAT(Text(), HasSubstr("switchboard_router_held_bytes 100\n"));
  EXPECT_THAT(Text(), HasSubstr("switchboard_router_worker_up{worker=\"a:1\"} 0\n"));
  EXPECT_THAT(Text(), HasSubstr("switchboard_router_worker_up{worker=\"b:1\"} 1\n"));
}

}  // namespace
}  // namespace switchboard::router
