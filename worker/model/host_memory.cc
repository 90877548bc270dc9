#include "worker/model/host_memory.h"

#include <algorithm>
#include <fstream>
#include <limits>

#include "absl/strings/string_view.h"
#include "base/check.h"

namespace switchboard::model {
namespace {

// The number behind `key` in a file of lines "key number ...".
std::optional<int64_t> ValueOf(const std::string& path, absl::string_view key) {
  std::ifstream file(path);
  std::string name;
  for (int64_t number = 0; file >> name >> number;) {
    if (name == key) return number;
    file.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
  }
  return std::nullopt;
}

// The number in a file that holds one; "max" is none.
std::optional<int64_t> NumberIn(const std::string& path) {
  std::ifstream file(path);
  int64_t number = 0;
  if (!(file >> number)) return std::nullopt;
  return number;
}

// What the process's control group still lets it have; nothing without a limit.
std::optional<int64_t> CgroupRoom(const std::string& folder) {
  const std::optional<int64_t> limit = NumberIn(folder + "/memory.max");
  if (!limit.has_value()) return std::nullopt;
  // Usage counts cached file pages, among them those of the checkpoint; the kernel drops the ones
  // that were not read lately before it refuses memory.
  const int64_t used = NumberIn(folder + "/memory.current").value_or(0) -
                       ValueOf(folder + "/memory.stat", "inactive_file").value_or(0);
  return std::max<int64_t>(0, *limit - std::max<int64_t>(0, used));
}

}  // namespace

std::optional<int64_t> AvailableMemory(const std::string& root) {
  const std::optional<int64_t> room = CgroupRoom(root + "/sys/fs/cgroup");
  const std::optional<int64_t> kib = ValueOf(root + "/proc/meminfo", "MemAvailable:");
  if (!kib.has_value()) return room;
  return room.has_value() ? std::min(*kib * 1024, *room) : *kib * 1024;
}

absl::StatusOr<int64_t> MemoryBudget(int workers, const std::string& root) {
  CHECK(workers >= 1);
  const std::optional<int64_t> available = AvailableMemory(root);
  if (!available.has_value()) {
    return absl::UnavailableError(
        "free memory is unknown: /proc/meminfo has no MemAvailable and the cgroup no memory.max; "
        "mount /proc or set a memory limit");
  }
  return *available / 10 * 9 / workers;
}

}  // namespace switchboard::model
