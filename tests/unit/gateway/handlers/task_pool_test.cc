#include "gateway/handlers/task_pool.h"

#include <gtest/gtest.h>

#include <future>

namespace switchboard::gateway {
namespace {

TEST(TaskPoolTest, RunsEveryTaskBeforeItIsGone) {
  std::atomic<int> runs{0};
  {
    TaskPool pool(2, 100);
    for (int i = 0; i < 50; ++i) ASSERT_TRUE(pool.Submit([&runs] { ++runs; }));
  }
  EXPECT_EQ(runs, 50);
}

TEST(TaskPoolTest, RefusesWhenTooManyWait) {
  std::promise<void> started, release;
  TaskPool pool(1, 1);
  ASSERT_TRUE(pool.Submit([&] {
    started.set_value();
    release.get_future().wait();
  }));
  started.get_future().wait();
  EXPECT_TRUE(pool.Submit([] {}));
  EXPECT_FALSE(pool.Submit([] {}));
  release.set_value();
}

}  // namespace
}  // namespace switchboard::gateway
