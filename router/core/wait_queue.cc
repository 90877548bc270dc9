#include "router/core/wait_queue.h"

#include "base/check.h"

namespace switchboard::router {

bool WaitQueue::HasRoom(size_t bytes) const {
  return items_.size() < limits_.requests && bytes <= limits_.bytes - bytes_;
}

void WaitQueue::Add(RequestKey key, absl::string_view group, size_t bytes,
                    absl::Duration deadline) {
  CHECK(HasRoom(bytes));
  CHECK(items_.emplace(key, Item{std::string(group), bytes, deadline}).second);
  bytes_ += bytes;
  ++groups_[group];
}

void WaitQueue::Remove(RequestKey key) {
  const auto found = items_.find(key);
  CHECK(found != items_.end());
  bytes_ -= found->second.bytes;
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
