// A client's TCP connection on its I/O thread: bounded read-ahead, writes with a stall limit, and
// one place to wait.
#ifndef SWITCHBOARD_HTTP_CONNECTION_H_
#define SWITCHBOARD_HTTP_CONNECTION_H_

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstddef>
#include <memory>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace switchboard::http {

using TimePoint = std::chrono::steady_clock::time_point;

// `after` from `start` or from now; capped at a year so that no sum overflows.
TimePoint Later(TimePoint start, absl::Duration after);
TimePoint DeadlineIn(absl::Duration after);

// Everything happens on the thread of the socket's io_context; not thread-safe. One coroutine uses
// it: it looks at the state and, when there is nothing to do, waits for the next event. Whatever
// changes the state ends the wait, so nothing is missed between looking and waiting.
//
// The socket is read all the time, up to `read_ahead` bytes beyond what was consumed: so a client
// that leaves is noticed while its request is being answered, and pipelined requests are not
// mistaken for that.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(boost::asio::ip::tcp::socket socket, size_t read_ahead,
             absl::Duration write_stall_timeout);

  // Begins reading. REQUIRES: the object is owned by a shared_ptr.
  void Start();

  // Bytes received and not consumed.
  absl::string_view input() const { return input_; }
  void Consume(size_t bytes);

  // The client sends no more: it has closed, or the connection is broken. What was received before
  // is still in input(). A client that pipelines more than read-ahead and socket hold is gone only
  // when writing to it fails.
  bool peer_gone();
  // The connection can no longer be used at all.
  bool closed() const { return closed_; }

  // Returns at the next event (bytes, end, Notify) or at the deadline, whichever comes first.
  boost::asio::awaitable<void> WaitEvent(TimePoint deadline);
  // Lets other connections of the thread have their turn.
  boost::asio::awaitable<void> Yield();
  // Ends a WaitEvent under way.
  void Notify() { event_.cancel(); }

  // Sends all of `data`. False when the connection broke or the client accepted nothing for the
  // stall limit; it is closed then.
  boost::asio::awaitable<bool> Write(std::string data);

  // Says goodbye without losing the last reply to a reset: sends FIN, then discards what still
  // comes until the client closes, `timeout` passes or `max_bytes` have come.
  boost::asio::awaitable<void> Linger(absl::Duration timeout, size_t max_bytes);

  // Closes at once; ends every wait.
  void Close();

 private:
  void ArmRead();
  void OnReadable(bool failed);
  void Receive();
  void ArmWrite();

  const size_t read_ahead_;
  const absl::Duration write_stall_timeout_;
  boost::asio::ip::tcp::socket socket_;
  boost::asio::steady_timer event_;
  std::string input_;
  bool reading_ = false;
  bool awaiting_writable_ = false;
  bool end_of_input_ = false;
  bool closed_ = false;
  bool discarding_ = false;
  size_t discarded_bytes_ = 0;
};

}  // namespace switchboard::http

#endif  // SWITCHBOARD_HTTP_CONNECTION_H_
