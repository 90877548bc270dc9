#include "worker/service/job_queue.h"

#include <gtest/gtest.h>

#include <latch>
#include <thread>
#include <vector>

#include "tests/support/status_matchers.h"

namespace switchboard::worker {
namespace {

using testing::HasSubstr;

TEST(JobQueue, RunsEveryJob) {
  std::latch done(50);
  JobQueue queue(2, 100);
  for (int i = 0; i < 50; ++i) {
    EXPECT_THAT(queue.Add([&](bool stopped) {
      EXPECT_FALSE(stopped);
      done.count_down();
    }),
                IsOk());
  }
  done.wait();
}

TEST(JobQueue, RefusesMoreThanMayWait) {
  std::latch running(1), go_on(1);
  JobQueue queue(1, 1);
  EXPECT_THAT(queue.Add([&](bool) {
    running.count_down();
    go_on.wait();
  }),
              IsOk());
  running.wait();
  EXPECT_THAT(queue.Add([](bool) {}), IsOk());
  EXPECT_THAT(queue.Add([](bool) {}),
              StatusIs(absl::StatusCode::kResourceExhausted, HasSubstr("try again")));
  go_on.count_down();
}

TEST(JobQueue, StopTellsTheWaitingJobsAndFinishesTheRunningOne) {
  std::latch running(1), go_on(1);
  std::vector<bool> stopped;
  bool finished = false;
  JobQueue queue(1, 2);
  EXPECT_THAT(queue.Add([&](bool) {
    running.count_down();
    go_on.wait();
    finished = true;
  }),
              IsOk());
  running.wait();
  EXPECT_THAT(queue.Add([&](bool value) { stopped.push_back(value); }), IsOk());
  EXPECT_THAT(queue.Add([&](bool value) {
    stopped.push_back(value);
    go_on.count_down();
  }),
              IsOk());
  queue.Stop();
  EXPECT_TRUE(finished);
  EXPECT_EQ(stopped, (std::vector<bool>{true, true}));
  EXPECT_THAT(queue.Add([](bool) {}),
              StatusIs(absl::StatusCode::kUnavailable, HasSubstr("stopping")));
}

}  // namespace
}  // namespace switchboard::worker
