// How much of this machine's memory the process may take.
#ifndef SWITCHBOARD_WORKER_MODEL_HOST_MEMORY_H_
#define SWITCHBOARD_WORKER_MODEL_HOST_MEMORY_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/statusor.h"

namespace switchboard::model {

// Bytes this process could still get without swapping: the smaller of the system's available memory
// (/proc/meminfo) and the room in the cgroup (version 2), where the file cache that the kernel
// would give up counts as room. Nothing when neither can be read. `root` stands before these paths.
std::optional<int64_t> AvailableMemory(const std::string& root = "");

// What one of `workers` processes that share this machine may plan with: nine tenths of the
// available memory, divided. Unavailable when that cannot be told. REQUIRES: workers >= 1.
absl::StatusOr<int64_t> MemoryBudget(int workers, const std::string& root = "");

}  // namespace switchboard::model

#endif  // SWITCHBOARD_WORKER_MODEL_HOST_MEMORY_H_
