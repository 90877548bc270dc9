// One connection's conversation: read a request, check it, have it answered, keep alive.
#ifndef SWITCHBOARD_HTTP_SESSION_H_
#define SWITCHBOARD_HTTP_SESSION_H_

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <memory>
#include <optional>
#include <string>

#include "http/byte_budget.h"
#include "http/connection.h"
#include "http/message.h"
#include "http/refusal.h"
#include "http/reply_writer.h"
#include "http/server.h"
#include "http/wake.h"

namespace switchboard::http {

// Lives on one I/O thread and is touched by no other. Requests of a connection are answered one
// after the other, in order; what a client sends ahead waits in the connection's read-ahead.
class Session {
 public:
  // The options and the handler are borrowed from the server, which outlives its sessions.
  Session(const ServerOptions* options, Handler* handler, std::shared_ptr<ByteBudget> budget,
          boost::asio::io_context* context, boost::asio::ip::tcp::socket socket);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // The whole conversation; returns when the connection is closed. The session must live until
  // then.
  boost::asio::awaitable<void> Run();
  // Instead of Run: answers with this refusal whatever is asked, and closes.
  boost::asio::awaitable<void> RunRefusing(Refusal refusal);

  // Ends after the request being answered, at once if there is none, also in the middle of a head.
  // Requests that wait behind it are answered 503, except those of probes.
  void Drain();
  // Instead of Drain, before Run, for a client that comes while the server drains: the same, but
  // its first request is waited for, briefly.
  void DrainAfterFirst();
  // As Drain, and the request being answered is to end soon: its exchange is told to (EndEarly), a
  // body that has not come is answered 503.
  void EndEarly();
  // Ends now.
  void Kill() { connection_->Close(); }

 private:
  struct Current;  // the request being read or answered

  // The steps of Run. Each returns false when the connection is of no more use.
  boost::asio::awaitable<bool> AwaitRequest();
  boost::asio::awaitable<bool> ServeRequest();
  boost::asio::awaitable<bool> ReadHead(Current* current);
  boost::asio::awaitable<bool> ReadBody(Current* current);
  boost::asio::awaitable<bool> Answer(Current* current);
  boost::asio::awaitable<bool> AwaitExchange(ReplyWriter* reply);
  // What has not been asked for yet never will be.
  bool drained() const { return draining_ && !newcomer_; }

  // Decisions on a request whose head has come. AcceptHead fills in what can be, also when it
  // refuses.
  std::optional<Refusal> AcceptHead(absl::string_view bytes, Current* current);
  // Null when the body has to be read first.
  std::unique_ptr<Exchange> AnswerWithoutBody(Current* current);
  void Refuse(const Refusal& refusal, Current* current);
  std::string Render(Step step, ReplyWriter* reply, absl::Duration started);

  const ServerOptions& options_;
  Handler* const handler_;
  const std::shared_ptr<ByteBudget> budget_;
  const std::shared_ptr<Connection> connection_;
  const std::shared_ptr<WakeLink> wake_;
  std::unique_ptr<Exchange> exchange_;  // of the request being answered
  TimePoint last_write_;
  bool woken_ = false;
  bool draining_ = false;
  bool newcomer_ = false;   // came while draining
  bool end_early_ = false;  // the exchange has to be told
};

}  // namespace switchboard::http

#endif  // SWITCHBOARD_HTTP_SESSION_H_
