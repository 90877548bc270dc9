// The listening socket of a server.
#ifndef SWITCHBOARD_HTTP_LISTENER_H_
#define SWITCHBOARD_HTTP_LISTENER_H_

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"

namespace switchboard::http {

// Used on the thread of its io_context, except Open(), which comes before that thread runs.
class Listener {
 public:
  // Gives the context that the next connection is to live on.
  using NextContext = std::function<boost::asio::io_context&()>;
  // Takes an accepted connection.
  using OnAccept = std::function<void(boost::asio::ip::tcp::socket socket)>;

  Listener(boost::asio::io_context* context, NextContext next_context, OnAccept on_accept);

  // Binds and listens. The errors are those of Server::Start.
  absl::Status Open(const std::string& host, int port, const std::string& port_flag);
  int port() const { return port_; }

  // Accepts until Close(). When the process runs out of descriptors it tries again after a pause,
  // with the backlog holding who comes meanwhile.
  void Accept();
  void Close();

 private:
  void OnAccepted(const boost::system::error_code& ec, boost::asio::ip::tcp::socket socket);

  boost::asio::ip::tcp::acceptor acceptor_;
  boost::asio::steady_timer pause_;
  const NextContext next_context_;
  const OnAccept on_accept_;
  int port_ = 0;
  bool out_of_resources_ = false;  // said so in the log already
};

}  // namespace switchboard::http

#endif  // SWITCHBOARD_HTTP_LISTENER_H_
