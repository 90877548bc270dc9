#include "rpc/stop_watcher.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <optional>

#include "base/stop_signal.h"

namespace switchboard::rpc {
namespace {

// Each runs in a process of its own, whose signals the test's process does not see.
class StopWatcherDeathTest : public testing::Test {
 protected:
  StopWatcherDeathTest() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

[[noreturn]] void SleepForEver() {
  for (;;) pause();
}

TEST_F(StopWatcherDeathTest, ASignalWhileStartingEndsTheProcess) {
  EXPECT_EXIT(
      {
        BlockStopSignals();
        StopWatcher watcher;
        kill(getpid(), SIGTERM);
        SleepForEver();
      },
      testing::ExitedWithCode(0), "stopped while starting");
}

TEST_F(StopWatcherDeathTest, TheFirstSignalEndsTheWait) {
  EXPECT_EXIT(
      {
        BlockStopSignals();
        std::optional<StopWatcher> watcher(std::in_place);
        watcher->Started();
        kill(getpid(), SIGINT);
        watcher->Wait();
        watcher.reset();
        std::_Exit(7);
      },
      testing::ExitedWithCode(7), "");
}

TEST_F(StopWatcherDeathTest, TheSecondSignalEndsTheProcess) {
  EXPECT_EXIT(
      {
        BlockStopSignals();
        StopWatcher watcher;
        watcher.Started();
        kill(getpid(), SIGTERM);
        watcher.Wait();
        kill(getpid(), SIGINT);
        SleepForEver();
      },
      testing::ExitedWithCode(128 + SIGINT), "asked again");
}

}  // namespace
}  // namespace switchboard::rpc
