#include "router/core/wait_queue.h"

#include "base/check.h"

namespace switchboard::router {

void WaitQueue::Add(RequestKey key, absl::string_view group, absl::Duration deadline) {
  CHECK(HasRoom());
  CHECK(items_.emplace(key, Item{std::string(group), deadline}).second);
  ++groups_[group];
}

void WaitQueue::Remove(RequestKey key) {
  const auto found = items_.find(key);
  CHECK(found != items_.end());
  const auto group = groups_.find(found->second.group);
  if (--group->second == 0) groups_.erase(group);
  items_.erase(found);
}

std::vector<RequestKey> WaitQueue::InOrder() const {
  std::vector<RequestKey> keys;
  keys.reserve(items_.size());
  for (const auto& [key, item] : items_) keys.push_back(key);
  return keys;
}

std::vector<RequestKey> WaitQueue::Overdue(absl::Duration now) const {
  std::vector<RequestKey> keys;
  for (const auto& [key, item] : items_) {
    if (item.deadline > now) break;
    keys.push_back(key);
  }
  return keys;
}

std::optional<absl::Duration> WaitQueue::EarliestDeadline() const {
  if (items_.empty()) return std::nullopt;
  return items_.begin()->second.deadline;
}

}  // namespace switchboard::router
