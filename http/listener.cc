#include "http/listener.h"

#include <boost/asio/error.hpp>
#include <chrono>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/host.h"
#include "base/log.h"
#include "base/status_macros.h"
#include "http/log_exception.h"

namespace switchboard::http {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

constexpr int kBacklog = 1024;
constexpr auto kAcceptPause = std::chrono::milliseconds(100);

absl::Status ListenError(const std::string& where, const error_code& ec,
                         const std::string& port_flag) {
  if (ec == asio::error::address_in_use) {
    return absl::AlreadyExistsError(absl::StrCat(
        "cannot listen on ", where, ": address already in use; choose another ", port_flag));
  }
  if (ec == asio::error::access_denied) {
    return absl::PermissionDeniedError(absl::StrCat(
        "cannot listen on ", where, ": permission denied; choose a ", port_flag, " above 1023"));
  }
  return absl::InvalidArgumentError(absl::StrCat("cannot listen on ", where, ": ", ec.message()));
}

// IPv4 where a name has both: `localhost` should be where 127.0.0.1 is.
tcp::endpoint Preferred(const tcp::resolver::results_type& found) {
  for (const auto& entry : found) {
    if (entry.endpoint().address().is_v4()) return entry.endpoint();
  }
  return found.begin()->endpoint();
}

// Accepting fails, though there is somebody to accept, until the process or the host has room
// again.
bool IsOutOfResources(const error_code& ec) {
  return ec == asio::error::no_descriptors || ec == asio::error::no_buffer_space ||
         ec == asio::error::no_memory || ec.value() == ENFILE;
}

}  // namespace

Listener::Listener(asio::io_context* context, NextContext next_context, OnAccept on_accept)
    : acceptor_(*context),
      pause_(*context),
      next_context_(std::move(next_context)),
      on_accept_(std::move(on_accept)) {}

absl::Status Listener::Open(const std::string& host, int port, const std::string& port_flag) {
  const std::string where = HostPort(host, port);
  error_code ec;
  tcp::resolver resolver(acceptor_.get_executor());
  const tcp::resolver::results_type found = resolver.resolve(
      host, std::to_string(port), tcp::resolver::passive | tcp::resolver::numeric_service, ec);
  if (ec || found.empty()) {
    return absl::InvalidArgumentError(absl::StrCat("cannot listen on ", where,
                                                   ": the host is neither an address nor a known "
                                                   "name"));
  }
  const tcp::endpoint endpoint = Preferred(found);
  acceptor_.open(endpoint.protocol(), ec);
  // Without it a restart would have to wait for the old connections' TIME_WAIT.
  if (!ec) acceptor_.set_option(tcp::acceptor::reuse_address(true), ec);
  if (!ec) acceptor_.bind(endpoint, ec);
  if (!ec) acceptor_.listen(kBacklog, ec);
  tcp::endpoint bound;
  if (!ec) bound = acceptor_.local_endpoint(ec);
  if (ec) return ListenError(where, ec, port_flag);
  port_ = bound.port();
  return absl::OkStatus();
}

void Listener::Accept() {
  acceptor_.async_accept(next_context_(), [this](const error_code& ec, tcp::socket socket) {
    OnAccepted(ec, std::move(socket));
  });
}

void Listener::OnAccepted(const error_code& ec, tcp::socket socket) {
  if (!acceptor_.is_open()) return;
  if (!ec) {
    out_of_resources_ = false;
    try {
      on_accept_(std::move(socket));
    } catch (...) {
      LogException();
    }
    return Accept();
  }
  if (!IsOutOfResources(ec)) return Accept();  // that client has given up
  if (!out_of_resources_) LOG(ERROR) << "cannot accept connections: " << ec.message();
  out_of_resources_ = true;
  pause_.expires_after(kAcceptPause);
  pause_.async_wait([this](const error_code&) {
    if (acceptor_.is_open()) Accept();
  });
}

void Listener::Close() {
  error_code ec;
  // Whatever close() reports, the descriptor is gone afterwards.
  acceptor_.close(ec);
  pause_.cancel();
}

}  // namespace switchboard::http
