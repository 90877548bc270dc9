#include "http/wake.h"

#include <boost/asio/post.hpp>
#include <utility>

namespace switchboard::http {

WakeLink::WakeLink(boost::asio::io_context* context, std::function<void()> on_wake)
    : context_(context), on_wake_(std::move(on_wake)) {}

std::function<void()> WakeLink::Waker() {
  return [link = shared_from_this()] { link->Post(); };
}

void WakeLink::Post() {
  // Posting under the lock keeps the context alive meanwhile; it runs nothing here.
  MutexLock lock(&mutex_);
  if (context_ == nullptr) return;
  boost::asio::post(*context_, [link = shared_from_this()] {
    if (link->on_wake_) link->on_wake_();
  });
}

void WakeLink::Detach() {
  on_wake_ = nullptr;
  MutexLock lock(&mutex_);
  context_ = nullptr;
}

}  // namespace switchboard::http
