// Thousands of seeded schedules; in each every request ends exactly once, no token is lost,
// repeated or out of order, the queue stays in its bounds, and the ledger is empty at rest.
#include "tests/unit/router/simulation.h"

#include <gtest/gtest.h>

#include "absl/strings/str_join.h"

namespace switchboard::router {
namespace {

#ifdef SWITCHBOARD_SANITIZED
constexpr uint64_t kSchedules = 200;
#else
constexpr uint64_t kSchedules = 1000;
#endif

// The sum over all schedules; stops at the first violation.
Outcome RunAll(const SimulationOptions& options) {
  Outcome sum;
  for (uint64_t seed = 1; seed <= kSchedules; ++seed) {
    const Outcome one = Simulation(options, seed).Run();
    EXPECT_TRUE(one.violations.empty()) << "seed " << seed << ":\n"
                                        << absl::StrJoin(one.violations, "\n");
    if (!one.violations.empty()) return sum;
    sum.ok += one.ok;
    sum.lost += one.lost;
    sum.refused += one.refused;
    sum.invalid += one.invalid;
    sum.left += one.left;
    sum.broken_protocol += one.broken_protocol;
    sum.attempts += one.attempts;
    sum.retries += one.retries;
  }
  return sum;
}

constexpr int kAll = 40 * static_cast<int>(kSchedules);

TEST(SimulationTest, WithoutFaultsEveryRequestSucceedsAtTheFirstAttempt) {
  const Outcome outcome = RunAll({});
  EXPECT_EQ(outcome.ok, kAll);
  EXPECT_EQ(outcome.attempts, kAll);
}

TEST(SimulationTest, DyingWorkersLoseOnlyWhatHadBegun) {
  SimulationOptions options;
  options.faults.worker_dies = 0.1;
  const Outcome outcome = RunAll(options);
  EXPECT_EQ(outcome.ok + outcome.lost + outcome.refused, kAll);
  EXPECT_GT(outcome.retries, 0);
  EXPECT_GT(outcome.lost, 0);
  EXPECT_GT(outcome.ok, kAll / 2);
}

TEST(SimulationTest, RefusalsAreTakenElsewhere) {
  SimulationOptions options;
  options.faults.refuses = 0.1;
  const Outcome outcome = RunAll(options);
  EXPECT_EQ(outcome.ok + outcome.refused, kAll);
  // Three attempts in a row are refused once in a thousand.
  EXPECT_LT(outcome.refused, kAll / 500);
}

TEST(SimulationTest, BadRequestsAreToldSoWithoutASecondAttempt) {
  SimulationOptions options;
  options.faults.bad_request = 0.5;
  const Outcome outcome = RunAll(options);
  EXPECT_EQ(outcome.ok + outcome.invalid, kAll);
  EXPECT_EQ(outcome.attempts, kAll);
}

TEST(SimulationTest, ACancelStormLeavesNothingBehind) {
  SimulationOptions options;
  options.faults.client_leaves = 0.9;
  options.arrivals = absl::Milliseconds(100);
  const Outcome outcome = RunAll(options);
  EXPECT_EQ(outcome.ok + outcome.left, kAll);
  EXPECT_GT(outcome.left, kAll / 2);
}

TEST(SimulationTest, SlowClientsHoldUpNobodyElse) {
  SimulationOptions options;
  options.core.client_window_bytes = 40;
  options.faults.client_is_slow = 0.1;
  const Outcome outcome = RunAll(options);
  EXPECT_EQ(outcome.ok + outcome.refused, kAll);
  EXPECT_GT(outcome.ok, kAll * 9 / 10);
}

TEST(SimulationTest, ACheatingWorkerIsCaught) {
  SimulationOptions options;
  options.faults.cheats = 0.2;
  const Outcome outcome = RunAll(options);
  EXPECT_EQ(outcome.ok + outcome.broken_protocol, kAll);
  EXPECT_GT(outcome.broken_protocol, kAll / 50);
}

TEST(SimulationTest, EverythingAtOnceWithASmallQueueAndOneWorker) {
  SimulationOptions options;
  options.workers = 1;
  options.core.max_queued_requests = 5;
  options.core.max_held_bytes = 2000;
  options.core.queue_limit = absl::Seconds(2);
  options.core.client_window_bytes = 48;
  options.faults = {.worker_dies = 0.02,
                    .worker_hangs = 0.02,
                    .refuses = 0.1,
                    .bad_request = 0.05,
                    .client_leaves = 0.2,
                    .client_is_slow = 0.1,
                    .cheats = 0.02};
  const Outcome outcome = RunAll(options);
  EXPECT_EQ(outcome.ok + outcome.lost + outcome.refused + outcome.invalid + outcome.left +
                outcome.broken_protocol,
            kAll);
}

TEST(SimulationTest, EverythingAtOnceWithFourWorkers) {
  SimulationOptions options;
  options.workers = 4;
  options.requests = 40;
  options.core.client_window_bytes = 48;
  options.faults = {.worker_dies = 0.05,
                    .worker_hangs = 0.02,
                    .refuses = 0.1,
                    .bad_request = 0.05,
                    .client_leaves = 0.2,
                    .client_is_slow = 0.1,
                    .cheats = 0.02};
  const Outcome outcome = RunAll(options);
  EXPECT_EQ(outcome.ok + outcome.lost + outcome.refused + outcome.invalid + outcome.left +
                outcome.broken_protocol,
            kAll);
}

TEST(SimulationTest, TheSameSeedIsTheSameRun) {
  SimulationOptions options;
  options.faults = {.worker_dies = 0.1, .refuses = 0.1, .client_leaves = 0.2};
  const Outcome one = Simulation(options, 42).Run();
  const Outcome two = Simulation(options, 42).Run();
  EXPECT_EQ(one.ok, two.ok);
  EXPECT_EQ(one.lost, two.lost);
  EXPECT_EQ(one.left, two.left);
  EXPECT_EQ(one.attempts, two.attempts);
}

}  // namespace
}  // namespace switchboard::router
