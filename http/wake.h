// The way from any thread into a connection's I/O thread.
#ifndef SWITCHBOARD_HTTP_WAKE_H_
#define SWITCHBOARD_HTTP_WAKE_H_

#include <boost/asio/io_context.hpp>
#include <functional>
#include <memory>

#include "base/mutex.h"

namespace switchboard::http {

// Calls a function of its owner on the owner's I/O thread, for as long as the owner wants it. What
// an exchange holds is a reference to this object, never to the connection, so a late wake-up is
// harmless.
class WakeLink : public std::enable_shared_from_this<WakeLink> {
 public:
  // `on_wake` runs on the thread of `context`, which must outlive the link's Detach().
  WakeLink(boost::asio::io_context* context, std::function<void()> on_wake);

  // A function for Exchange::NotifyWhenReady: may be called from any thread, at any time, any
  // number of times.
  std::function<void()> Waker();

  // No `on_wake` begins after this. REQUIRES: called on the thread of the context.
  void Detach();

 private:
  void Post();

  Mutex mutex_;
  boost::asio::io_context* context_ GUARDED_BY(mutex_);  // null once detached
  std::function<void()> on_wake_;                        // used on the I/O thread only
};

}  // namespace switchboard::http

#endif  // SWITCHBOARD_HTTP_WAKE_H_
