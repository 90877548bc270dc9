// Requests that wait for a worker: bounded in number and bytes, first come first served within a
// group.
#ifndef SWITCHBOARD_ROUTER_CORE_WAIT_QUEUE_H_
#define SWITCHBOARD_ROUTER_CORE_WAIT_QUEUE_H_

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "router/core/command.h"

namespace switchboard::router {

// Not thread-safe.
class WaitQueue {
 public:
  struct Limits {
    size_t requests = 0;
    size_t bytes = 0;
  };

  explicit WaitQueue(Limits limits) : limits_(limits) {}

  // Whether a request that holds so many bytes may come in.
  bool HasRoom(size_t bytes) const;
  // `group`: what makes requests equal for the workers (model and fingerprint). A request that
  // comes back gets its old place, for keys ascend in order of arrival. REQUIRES: HasRoom(bytes),
  // key is not in it, deadlines ascend with keys.
  void Add(RequestKey key, absl::string_view group, size_t bytes, absl::Duration deadline);
  // REQUIRES: key is in it.
  void Remove(RequestKey key);

  // Oldest first.
  std::vector<RequestKey> InOrder() const;
  // Those whose deadline is at or before `now`, oldest first.
  std::vector<RequestKey> Overdue(absl::Duration now) const;
  // Nothing when it is empty.
  std::optional<absl::Duration> EarliestDeadline() const;

  bool HasGroup(absl::string_view group) const { return groups_.contains(group); }
  size_t size() const { return items_.size(); }
  size_t bytes() const { return bytes_; }

 private:
  struct Item {
    std::string group;
    size_t bytes = 0;
    absl::Duration deadline;
  };

  const Limits limits_;
  size_t bytes_ = 0;
  std::map<RequestKey, Item> items_;
  absl::flat_hash_map<std::string, size_t> groups_;  // to their number of items, never 0
};

}  // namespace switchboard::router

#endif  // SWITCHBOARD_ROUTER_CORE_WAIT_QUEUE_H_
