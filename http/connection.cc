#include "http/connection.h"

#include <netinet/tcp.h>
#include <poll.h>

#include <algorithm>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <utility>

#include "http/log_exception.h"

namespace switchboard::http {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

constexpr auto kNoThrow = asio::as_tuple(asio::use_awaitable);

// Where a readiness event reads to; idle connections hold no buffer of their own.
constexpr size_t kScratchBytes = 64 << 10;
thread_local char scratch[kScratchBytes];

// Unsent bytes the kernel may hold for one connection. Without it a slow reader gets megabytes of
// socket buffer, and back-pressure reaches the producer only after those.
constexpr int kUnsentBytes = 32 << 10;

// How often a client is looked for whose read-ahead is full, so that its FIN hides behind unread
// bytes.
constexpr absl::Duration kHangupCheck = absl::Seconds(1);

bool IsTransient(const error_code& ec) {
  return ec == asio::error::would_block || ec == asio::error::try_again ||
         ec == asio::error::interrupted;
}

}  // namespace

TimePoint Later(TimePoint start, absl::Duration after) {
  const absl::Duration capped = std::clamp(after, absl::ZeroDuration(), absl::Hours(24 * 365));
  return start + absl::ToChronoNanoseconds(capped);
}

TimePoint DeadlineIn(absl::Duration after) {
  return Later(std::chrono::steady_clock::now(), after);
}

Connection::Connection(tcp::socket socket, size_t read_ahead, absl::Duration write_stall_timeout)
    : read_ahead_(read_ahead),
      write_stall_timeout_(write_stall_timeout),
      socket_(std::move(socket)),
      event_(socket_.get_executor()) {}

void Connection::Start() {
  error_code ec;
  socket_.non_blocking(true, ec);
  if (ec) return Close();
  // Failures of these two cost latency or memory, nothing else.
  socket_.set_option(tcp::no_delay(true), ec);
  ::setsockopt(socket_.native_handle(), IPPROTO_TCP, TCP_NOTSENT_LOWAT, &kUnsentBytes,
               sizeof(kUnsentBytes));
  ArmRead();
}

void Connection::Consume(size_t bytes) {
  input_.erase(0, bytes);
  ArmRead();
}

void Connection::ArmRead() {
  if (reading_ || end_of_input_ || closed_ || input_.size() >= read_ahead_) return;
  reading_ = true;
  socket_.async_wait(tcp::socket::wait_read, [self = shared_from_this()](const error_code& ec) {
    self->OnReadable(static_cast<bool>(ec));
  });
}

void Connection::OnReadable(bool failed) {
  reading_ = false;
  if (closed_) return;
  if (failed) {
    Close();
    return;
  }
  try {
    Receive();
  } catch (...) {
    LogException();
    Close();
  }
}

void Connection::Receive() {
  error_code ec;
  const size_t bytes = socket_.read_some(asio::buffer(scratch), ec);
  if (!ec && discarding_) {
    discarded_bytes_ += bytes;
  } else if (!ec) {
    input_.append(scratch, bytes);
  } else if (ec == asio::error::eof) {
    end_of_input_ = true;
  } else if (!IsTransient(ec)) {
    Close();
  }
  ArmRead();
  Notify();
}

bool Connection::peer_gone() {
  if (end_of_input_ || closed_) return true;
  if (reading_) return false;
  pollfd look = {socket_.native_handle(), POLLRDHUP, 0};
  return ::poll(&look, 1, 0) == 1;
}

asio::awaitable<void> Connection::WaitEvent(TimePoint deadline) {
  if (closed_) co_return;
  const bool blind = !reading_ && !end_of_input_;
  event_.expires_at(blind ? std::min(deadline, DeadlineIn(kHangupCheck)) : deadline);
  co_await event_.async_wait(kNoThrow);
}

asio::awaitable<void> Connection::Yield() { co_await asio::post(asio::use_awaitable); }

void Connection::ArmWrite() {
  if (awaiting_writable_ || closed_) return;
  awaiting_writable_ = true;
  socket_.async_wait(tcp::socket::wait_write, [self = shared_from_this()](const error_code&) {
    self->awaiting_writable_ = false;
    self->Notify();
  });
}

asio::awaitable<bool> Connection::Write(std::string data) {
  size_t sent = 0;
  TimePoint stalled = DeadlineIn(write_stall_timeout_);
  while (!closed_ && sent < data.size()) {
    error_code ec;
    const size_t bytes =
        socket_.write_some(asio::buffer(data.data() + sent, data.size() - sent), ec);
    if (!ec) {
      sent += bytes;
      stalled = DeadlineIn(write_stall_timeout_);
      continue;
    }
    if (!IsTransient(ec) || std::chrono::steady_clock::now() >= stalled) {
      Close();
      break;
    }
    ArmWrite();
    co_await WaitEvent(stalled);
  }
  co_return !closed_;
}

asio::awaitable<void> Connection::Linger(absl::Duration timeout, size_t max_bytes) {
  const TimePoint deadline = DeadlineIn(timeout);
  error_code ec;
  if (!closed_) socket_.shutdown(tcp::socket::shutdown_send, ec);
  if (ec) Close();
  discarding_ = true;
  input_.clear();
  ArmRead();
  while (!closed_ && !end_of_input_ && discarded_bytes_ < max_bytes &&
         std::chrono::steady_clock::now() < deadline) {
    co_await WaitEvent(deadline);
  }
  Close();
}

void Connection::Close() {
  if (closed_) return;
  closed_ = true;
  error_code ec;
  // Whatever close() reports, the descriptor is gone afterwards.
  socket_.close(ec);
  Notify();
}

}  // namespace switchboard::http
