#include "worker/engine/inbox.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"

namespace switchboard::engine {

void Inbox::Open() {
  MutexLock lock(&mutex_);
  open_ = true;
}

void Inbox::Close(absl::Duration stop_by) {
  MutexLock lock(&mutex_);
  open_ = false;
  mail_.stop_by = std::min(stop_by, mail_.stop_by.value_or(stop_by));
  woken_ = true;
  came_.NotifyOne();
}

absl::StatusOr<uint64_t> Inbox::Put(Request request, std::shared_ptr<EventSink> sink,
                                    absl::Duration now) {
  MutexLock lock(&mutex_);
  if (!open_) return absl::UnavailableError("the engine is stopping");
  if (WaitingLocked() >= max_waiting_) {
    return absl::ResourceExhaustedError(
        absl::StrCat("the queue is full: ", max_waiting_, " requests wait"));
  }
  mail_.arrivals.push_back({++last_id_, std::move(request), std::move(sink), now});
  woken_ = true;
  came_.NotifyOne();
  return last_id_;
}

void Inbox::Cancel(uint64_t id) {
  // Destroyed after the lock is released: a sink's destructor is not ours.
  std::vector<Arrival> gone;
  MutexLock lock(&mutex_);
  const auto same = [id](const Arrival& arrival) { return arrival.id == id; };
  const auto found = std::find_if(mail_.arrivals.begin(), mail_.arrivals.end(), same);
  if (found != mail_.arrivals.end()) {
    gone.push_back(std::move(*found));
    mail_.arrivals.erase(found);
    return;
  }
  mail_.cancelled.push_back(id);
  woken_ = true;
  came_.NotifyOne();
}

void Inbox::Wake() {
  MutexLock lock(&mutex_);
  woken_ = true;
  came_.NotifyOne();
}

Mail Inbox::Take(absl::Duration wait) {
  MutexLock lock(&mutex_);
  if (!woken_ && wait > absl::ZeroDuration()) came_.WaitFor(&mutex_, wait);
  woken_ = false;
  taken_waiting_ += static_cast<int>(mail_.arrivals.size());
  return std::exchange(mail_, {});
}

std::vector<uint64_t> Inbox::TakeCancelled() {
  MutexLock lock(&mutex_);
  return std::exchange(mail_.cancelled, {});
}

void Inbox::SetWaiting(int requests) {
  MutexLock lock(&mutex_);
  taken_waiting_ = requests;
}

int Inbox::waiting() const {
  MutexLock lock(&mutex_);
  return WaitingLocked();
}

int Inbox::WaitingLocked() const {
  return taken_waiting_ + static_cast<int>(mail_.arrivals.size());
}

}  // namespace switchboard::engine
