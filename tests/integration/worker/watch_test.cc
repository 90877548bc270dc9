// Load reports to routers.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "tests/integration/worker/harness.h"
#include "tests/support/status_matchers.h"

namespace switchboard::worker {
namespace {

TEST(Watch, NamesTheModelsInTheFirstReportOnly) {
  Worker worker;
  grpc::ClientContext context;
  const auto reader = worker.control()->Watch(&context, v1::WatchRequest());
  v1::WorkerReport report;
  ASSERT_TRUE(reader->Read(&report));
  ASSERT_EQ(report.models_size(), 2);
  EXPECT_EQ(report.models(0).name(), "fake");
  EXPECT_EQ(report.models(1).name(), "alias");
  worker.hub().NotifyChange();
  ASSERT_TRUE(reader->Read(&report));
  EXPECT_EQ(report.models_size(), 0);
}

TEST(Watch, NamesTheModelsFirstEvenWhenTheHubReportsBeforeTheCallItself) {
  // The report that a new call makes for itself waits until the hub's thread has made two: the
  // first of them has then been sent.
  std::atomic<Worker*> started = nullptr;
  std::atomic<int> by_hub = 0;
  std::thread::id hub_thread;
  std::atomic<bool> hub_known = false;
  Worker worker({.on_report = [&] {
    if (!hub_known) {  // nobody watches yet: only the hub makes reports
      hub_thread = std::this_thread::get_id();
      hub_known = true;
    }
    if (std::this_thread::get_id() == hub_thread) {
      ++by_hub;
      return;
    }
    const int before = by_hub;
    EXPECT_TRUE(Eventually([&] {
      started.load()->hub().NotifyChange();
      return by_hub >= before + 2;
    }));
  }});
  started = &worker;
  ASSERT_TRUE(Eventually([&] { return hub_known.load(); }));
  grpc::ClientContext context;
  const auto reader = worker.control()->Watch(&context, v1::WatchRequest());
  v1::WorkerReport report;
  ASSERT_TRUE(reader->Read(&report));
  EXPECT_EQ(report.models_size(), 2);
  ASSERT_TRUE(reader->Read(&report));
  EXPECT_EQ(report.models_size(), 0);
}

TEST(Watch, OfARouterThatDoesNotReadDoesNotHoldUpTheStop) {
  // A first report that flow control does not let through.
  Worker worker({.names = {"fake", std::string(1 << 20, 'x')}});
  grpc::ClientContext context;
  const auto reader = worker.control()->Watch(&context, v1::WatchRequest());
  reader->WaitForInitialMetadata();
  worker.Stop();
}

TEST(Watch, EndsWithUnavailableWhenTheWorkerStops) {
  Worker worker;
  grpc::ClientContext context;
  const auto reader = worker.control()->Watch(&context, v1::WatchRequest());
  v1::WorkerReport report;
  ASSERT_TRUE(reader->Read(&report));
  worker.Stop();
  while (reader->Read(&report)) {
  }
  EXPECT_EQ(reader->Finish().error_code(), grpc::StatusCode::UNAVAILABLE);
}

}  // namespace
}  // namespace switchboard::worker
