#include "worker/backend/cpu/team.h"

#include <gtest/gtest.h>

#include <atomic>
#include <vector>

namespace switchboard::backend {
namespace {

constexpr int64_t kWorthSharing = int64_t{1} << 40;

TEST(TeamTest, EveryUnitIsDoneOnceWhateverTheNumbers) {
  for (const int members : {1, 2, 3, 8}) {
    Team team(members);
    for (const int64_t units : {0, 1, 2, 7, 8, 9, 1000}) {
      std::vector<std::atomic<int>> done(static_cast<size_t>(units));
      team.Run(units, kWorthSharing, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) ++done[static_cast<size_t>(i)];
      });
      for (const auto& count : done) EXPECT_EQ(count, 1);
    }
  }
}

TEST(TeamTest, ManyJobsInARowLoseNothing) {
  Team team(4);
  std::vector<int64_t> values(64, 0);
  for (int round = 0; round < 2000; ++round) {
    team.Run(64, kWorthSharing, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) ++values[static_cast<size_t>(i)];
    });
  }
  for (const int64_t value : values) EXPECT_EQ(value, 2000);
}

TEST(TeamTest, LittleWorkStaysWithTheCaller) {
  Team team(4);
  int calls = 0;
  team.Run(100, 10, [&](int64_t begin, int64_t end) {
    ++calls;
    EXPECT_EQ(begin, 0);
    EXPECT_EQ(end, 100);
  });
  EXPECT_EQ(calls, 1);
}

TEST(TeamTest, SubnormalsAreZeroInsideAndAsBeforeOutside) {
  Team team(2);
  volatile float tiny = 1e-39f;
  std::atomic<int> zeros = 0;
  team.Run(2, kWorthSharing, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) zeros += tiny * 0.5f == 0.0f ? 1 : 0;
  });
  EXPECT_EQ(zeros, 2);
  EXPECT_NE(tiny * 0.5f, 0.0f);
}

TEST(TeamTest, ThisProcessMayUseAtLeastOneProcessor) { EXPECT_GE(UsableProcessors(), 1); }

}  // namespace
}  // namespace switchboard::backend
