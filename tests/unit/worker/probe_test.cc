#include "worker/probe.h"

#include <gtest/gtest.h>

namespace switchboard::worker {
namespace {

double Value(const WorkerProbe& probe, const std::string& name) {
  for (const prometheus::MetricFamily& family : probe.registry().Collect()) {
    if (family.name != name) continue;
    const prometheus::ClientMetric& metric = family.metric.at(0);
    return family.type == prometheus::MetricType::Gauge ? metric.gauge.value : metric.counter.value;
  }
  ADD_FAILURE() << "no metric " << name;
  return -1;
}

TEST(WorkerProbe, CountsTokensAsTheyAreGenerated) {
  WorkerProbe probe("m", [] {});
  engine::EngineStats stats;
  probe.ReadGaugesFrom([&] { return stats; });
  EXPECT_EQ(Value(probe, "vllm:generation_tokens_total"), 0);
  stats.generated_tokens = 7;
  EXPECT_EQ(Value(probe, "vllm:generation_tokens_total"), 7) << "no request has ended yet";
  stats.generated_tokens = 9;
  EXPECT_EQ(Value(probe, "vllm:generation_tokens_total"), 9);
}

TEST(WorkerProbe, ReadsGaugesAtEachScrape) {
  WorkerProbe probe("m", [] {});
  EXPECT_EQ(Value(probe, "vllm:num_requests_running"), 0) << "no engine yet";
  probe.ReadGaugesFrom([] {
    engine::EngineStats stats;
    stats.running = 3;
    stats.waiting = 2;
    stats.kv_pages = 8;
    stats.kv_pages_used = 2;
    return stats;
  });
  EXPECT_EQ(Value(probe, "vllm:num_requests_running"), 3);
  EXPECT_EQ(Value(probe, "vllm:num_requests_waiting"), 2);
  EXPECT_EQ(Value(probe, "vllm:kv_cache_usage_perc"), 0.25);
}

}  // namespace
}  // namespace switchboard::worker
