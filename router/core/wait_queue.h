// Requests that wait for a worker: bounded in number, first come first served within a group.
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
  explicit WaitQueue(size_t max_requests) : max_requests_(max_requests) {}

  // Whether one more request may come in.
  bool HasRoom() const { return items_.size() < max_requests_; }
  // `group`: what makes requests equal for the workers (model and fingerprint). A request that
  // comes back gets its old place, for keys ascend in order of arrival. REQUIRES: HasRoom(), key
  // is not in it, deadlines ascend with keys.
  void Add(RequestKey key, absl::string_view group, absl::Duration deadline);
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

 private:
  struct Item {
    std::string group;
    absl::Duration deadline;
  };

  const size_t max_requests_;
  std::map<RequestKey, Item> items_;
  absl::flat_hash_map<std::string, size_t> groups_;  // to their number of items, never 0
};

}  // namespace switchboard::router

#endif  // SWITCHBOARD_ROUTER_CORE_WAIT_QUEUE_H_
