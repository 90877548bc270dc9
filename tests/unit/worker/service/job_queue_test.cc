#include "worker/service/job_queue.h"

#include <gtest/gtest.h>

#include <latch>
#include <memory>
#include <string>
#include <vector>

#include "tests/support/status_matchers.h"

namespace switchboard::worker {
namespace {

using testing::HasSubstr;

// Takes a turn that ends when it is told to.
class Held {
 public:
  // Returns when the turn has begun.
  explicit Held(JobQueue* queue, bool wants_more = false) {
    auto begun = std::make_shared<std::latch>(1);
    EXPECT_THAT(queue->Add([this, begun, go_on = go_on_, wants_more](bool stopped) {
      if (stopped) {
        told_ = true;
        return false;
      }
      begun->count_down();
      go_on->wait();
      return wants_more;
    }),
                IsOk());
    begun->wait();
  }
  void GoOn() { go_on_->count_down(); }
  bool told() const { return told_; }

 private:
  const std::shared_ptr<std::latch> go_on_ = std::make_shared<std::latch>(1);
  bool told_ = false;
};

TEST(JobQueue, RunsEveryJob) {
  std::latch done(50);
  JobQueue queue(2, 100);
  for (int i = 0; i < 50; ++i) {
    EXPECT_THAT(queue.Add([&](bool stopped) {
      EXPECT_FALSE(stopped);
      done.count_down();
      return false;
    }),
                IsOk());
  }
  done.wait();
}

TEST(JobQueue, LetsJobsTakeTurns) {
  std::string order;
  std::latch done(3);
  JobQueue queue(1, 3);
  Held held(&queue);
  const auto add = [&](char name, int turns) {
    EXPECT_THAT(queue.Add([&, name, turns](bool) mutable {
      order += name;
      if (--turns > 0) return true;
      done.count_down();
      return false;
    }),
                IsOk());
  };
  add('a', 4);
  add('b', 1);
  add('c', 2);
  held.GoOn();
  done.wait();
  EXPECT_EQ(order, "abcacaa");
}

TEST(JobQueue, RefusesMoreThanMayWait) {
  JobQueue queue(1, 1);
  Held held(&queue);
  EXPECT_THAT(queue.Add([](bool) { return false; }), IsOk());
  EXPECT_THAT(queue.Add([](bool) { return false; }),
              StatusIs(absl::StatusCode::kResourceExhausted, HasSubstr("try again")));
  held.GoOn();
}

TEST(JobQueue, CountsJobsUntilTheyAreDone) {
  JobQueue queue(1, 2);
  EXPECT_EQ(queue.unfinished(), 0);
  Held held(&queue);
  EXPECT_THAT(queue.Add([](bool) { return false; }), IsOk());
  EXPECT_EQ(queue.unfinished(), 2);
  held.GoOn();
  queue.Stop();
  EXPECT_EQ(queue.unfinished(), 0);
}

TEST(JobQueue, BeginStopTellsTheWaitingJobsAndDoesNotWaitForTheRunningOne) {
  std::vector<bool> stopped;
  JobQueue queue(1, 2);
  Held held(&queue);
  for (int i = 0; i < 2; ++i) {
    EXPECT_THAT(queue.Add([&](bool value) {
      stopped.push_back(value);
      return false;
    }),
                IsOk());
  }
  queue.BeginStop();
  EXPECT_EQ(stopped, (std::vector<bool>{true, true}));
  EXPECT_EQ(queue.unfinished(), 1);
  EXPECT_THAT(queue.Add([](bool) { return false; }),
              StatusIs(absl::StatusCode::kUnavailable, HasSubstr("stopping")));
  held.GoOn();
}

TEST(JobQueue, TellsAJobThatWantsAnotherTurnThatItStops) {
  JobQueue queue(1, 1);
  Held held(&queue, /*wants_more=*/true);
  queue.BeginStop();
  EXPECT_FALSE(held.told());
  held.GoOn();
  queue.Stop();
  EXPECT_TRUE(held.told());
}

TEST(JobQueue, StopFinishesTheRunningTurn) {
  JobQueue queue(1, 1);
  Held held(&queue);
  // Called by Stop, before it waits.
  EXPECT_THAT(queue.Add([&](bool) {
    held.GoOn();
    return false;
  }),
              IsOk());
  queue.Stop();
  EXPECT_EQ(queue.unfinished(), 0);
}

}  // namespace
}  // namespace switchboard::worker
