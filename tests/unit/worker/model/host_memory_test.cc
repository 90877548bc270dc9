#include "worker/model/host_memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/support/status_matchers.h"

namespace switchboard::model {
namespace {

using testing::HasSubstr;
using testing::Optional;

// A root folder with these files under it.
class HostMemoryTest : public testing::Test {
 protected:
  HostMemoryTest()
      : root_(std::filesystem::path(testing::TempDir()) /
              testing::UnitTest::GetInstance()->current_test_info()->name()) {}
  ~HostMemoryTest() override { std::filesystem::remove_all(root_); }

  void Write(const std::string& path, const std::string& text) {
    const std::filesystem::path file = root_ / path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }
  void WriteMeminfo() {
    Write("proc/meminfo", "MemTotal:  8000 kB\nMemFree:  10 kB\nMemAvailable:   4000 kB\n");
  }
  std::string root() const { return root_.string(); }

 private:
  const std::filesystem::path root_;
};

TEST_F(HostMemoryTest, SystemsAvailableMemoryCountsWithoutALimit) {
  WriteMeminfo();
  EXPECT_THAT(AvailableMemory(root()), Optional(4000 * 1024));
  Write("sys/fs/cgroup/memory.max", "max\n");
  Write("sys/fs/cgroup/memory.current", "123456\n");
  EXPECT_THAT(AvailableMemory(root()), Optional(4000 * 1024));
}

TEST_F(HostMemoryTest, RoomInTheCgroupLeavesOutInactiveFilePages) {
  WriteMeminfo();
  Write("sys/fs/cgroup/memory.max", "1000000\n");
  Write("sys/fs/cgroup/memory.current", "900000\n");
  EXPECT_THAT(AvailableMemory(root()), Optional(100000));
  Write("sys/fs/cgroup/memory.stat", "anon 1\nfile 700001\nactive_file 1\ninactive_file 700000\n");
  EXPECT_THAT(AvailableMemory(root()), Optional(800000));
}

TEST_F(HostMemoryTest, OddCountersGiveNeitherMoreThanTheLimitNorLessThanNothing) {
  Write("sys/fs/cgroup/memory.max", "1000\n");
  Write("sys/fs/cgroup/memory.current", "100\n");
  Write("sys/fs/cgroup/memory.stat", "inactive_file 500\n");
  EXPECT_THAT(AvailableMemory(root()), Optional(1000));
  Write("sys/fs/cgroup/memory.current", "5000\n");
  EXPECT_THAT(AvailableMemory(root()), Optional(0));
}

TEST_F(HostMemoryTest, SmallerOfSystemAndCgroupCounts) {
  WriteMeminfo();
  Write("sys/fs/cgroup/memory.max", "99000000000\n");
  EXPECT_THAT(AvailableMemory(root()), Optional(4000 * 1024));
}

TEST_F(HostMemoryTest, BudgetIsNineTenthsSharedByTheWorkers) {
  Write("sys/fs/cgroup/memory.max", "1000\n");
  EXPECT_EQ(*MemoryBudget(1, root()), 900);
  EXPECT_EQ(*MemoryBudget(3, root()), 300);
}

TEST_F(HostMemoryTest, UnknownMemoryIsAnErrorThatSaysWhatWasRead) {
  EXPECT_EQ(AvailableMemory(root()), std::nullopt);
  EXPECT_THAT(MemoryBudget(1, root()),
              StatusIs(absl::StatusCode::kUnavailable,
                       HasSubstr("free memory is unknown: /proc/meminfo has no MemAvailable")));
}

TEST_F(HostMemoryTest, ThisMachineHasMemory) {
  EXPECT_THAT(AvailableMemory(), Optional(testing::Gt(1 << 20)));
}

}  // namespace
}  // namespace switchboard::model
