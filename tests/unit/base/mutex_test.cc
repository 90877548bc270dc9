#include "base/mutex.h"

#include <gtest/gtest.h>

#include <thread>

namespace switchboard {
namespace {

TEST(CondVar, WaitsForEverWhenToldSo) {
  Mutex mutex;
  CondVar changed;
  bool set = false;
  std::thread setter([&] {
    MutexLock lock(&mutex);
    set = true;
    changed.NotifyAll();
  });
  bool in_time = true;
  {
    MutexLock lock(&mutex);
    while (!set && in_time) in_time = changed.WaitFor(&mutex, absl::InfiniteDuration());
  }
  setter.join();
  EXPECT_TRUE(set);
  EXPECT_TRUE(in_time);
}

TEST(CondVar, SaysThatTheTimeHasPassed) {
  Mutex mutex;
  CondVar changed;
  MutexLock lock(&mutex);
  EXPECT_FALSE(changed.WaitFor(&mutex, absl::ZeroDuration()));
  EXPECT_FALSE(changed.WaitFor(&mutex, -absl::InfiniteDuration()));
}

}  // namespace
}  // namespace switchboard
