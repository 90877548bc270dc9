// One I/O thread of a server: an io_context and the sessions that live on it.
#ifndef SWITCHBOARD_HTTP_IO_THREAD_H_
#define SWITCHBOARD_HTTP_IO_THREAD_H_

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <memory>
#include <optional>
#include <thread>

#include "absl/container/flat_hash_set.h"
#include "http/byte_budget.h"
#include "http/message.h"
#include "http/refusal.h"
#include "http/server.h"
#include "http/session.h"

namespace switchboard::http {

// The methods that take effect on the thread itself may be called from any other.
class IoThread {
 public:
  // The options and the handler are borrowed and outlive the thread.
  IoThread(const ServerOptions* options, Handler* handler, std::shared_ptr<ByteBudget> budget);
  // Joins. Sessions that still exist are destroyed.
  ~IoThread();
  IoThread(const IoThread&) = delete;
  IoThread& operator=(const IoThread&) = delete;

  void Start();
  // Returns when the thread is gone. REQUIRES: called from another thread.
  void Join();

  boost::asio::io_context& context() { return context_; }

  // Begins a session on this thread; one that only refuses when `refusal` is set. `seat` is let go
  // once the session is gone, or has failed to begin.
  void Adopt(boost::asio::ip::tcp::socket socket, std::optional<Refusal> refusal,
             std::shared_ptr<void> seat);

  // From now on sessions end when idle; those that begin later after their first request.
  void Drain();
  // Every session of now ends when idle, also one that waits for its first request.
  void DrainNewcomers();
  // Sessions of now end their replies early.
  void EndEarly();
  // Every session of now ends at once.
  void Kill();

 private:
  void Loop();
  void Begin(boost::asio::ip::tcp::socket socket, const std::optional<Refusal>& refusal,
             std::shared_ptr<void> seat);

  const ServerOptions* const options_;
  Handler* const handler_;
  const std::shared_ptr<ByteBudget> budget_;
  boost::asio::io_context context_;
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_;
  // Used on the thread only.
  absl::flat_hash_set<Session*> sessions_;
  bool draining_ = false;

  std::thread thread_;
};

}  // namespace switchboard::http

#endif  // SWITCHBOARD_HTTP_IO_THREAD_H_
