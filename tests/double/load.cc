#include "tests/double/load.h"

#include <utility>
#include <vector>

namespace switchboard::doubles {

absl::Status Load::Enter(uint64_t id, int choices, std::function<void()> start) {
  {
    MutexLock lock(&mutex_);
    const bool has_room = counts_.running == 0 || counts_.running + choices <= max_running_;
    if (!has_room || counts_.waiting > 0) {
      if (counts_.waiting >= max_waiting_) {
        return absl::ResourceExhaustedError("the double's queue is full");
      }
      ++counts_.waiting;
      guests_[id] = {choices, std::move(start)};
      return absl::OkStatus();
    }
    counts_.running += choices;
    ++counts_.started;
    guests_[id] = {choices, nullptr};
  }
  start();
  return absl::OkStatus();
}

void Load::Leave(uint64_t id) {
  std::vector<std::function<void()>> starts;
  {
    MutexLock lock(&mutex_);
    const auto found = guests_.find(id);
    if (found == guests_.end()) return;
    if (found->second.start != nullptr) {
      --counts_.waiting;
    } else {
      counts_.running -= found->second.choices;
      ++counts_.ended;
    }
    guests_.erase(found);
    for (auto& [other, guest] : guests_) {
      if (guest.start == nullptr) continue;
      if (counts_.running > 0 && counts_.running + guest.choices > max_running_) break;
      --counts_.waiting;
      counts_.running += guest.choices;
      ++counts_.started;
      starts.push_back(std::exchange(guest.start, nullptr));
    }
  }
  for (const auto& start : starts) start();
}

void Load::CountToken() {
  MutexLock lock(&mutex_);
  ++counts_.steps;
}

Load::Counts Load::counts() const {
  MutexLock lock(&mutex_);
  return counts_;
}

}  // namespace switchboard::doubles
