// The HTTP/1.1 server: listens, checks requests, and lets a Handler answer them. TLS and HTTP/2 are
// the business of the proxy in front of it.
#ifndef SWITCHBOARD_HTTP_SERVER_H_
#define SWITCHBOARD_HTTP_SERVER_H_

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "base/clock.h"
#include "http/cors.h"
#include "http/limits.h"
#include "http/message.h"

namespace switchboard::http {

struct ServerOptions {
  // An address, or a name that resolves to one of this host.
  std::string host = "127.0.0.1";
  int port = 0;  // 0: any free one
  // Named in the message when the port is taken.
  std::string port_flag = "--port";
  int threads = 1;  // I/O threads; a connection stays on its thread
  // Further connections are answered 503 and closed.
  int max_connections = 4096;

  // Request line and headers.
  HeadLimits head;
  // Bytes of body that a request for `path` may have; called from every I/O thread. Null:
  // default_body_bytes.
  std::function<size_t(absl::string_view path)> body_limit;
  size_t default_body_bytes = size_t{64} << 20;
  // Of all request bodies together, from their first byte until the handler has dropped the
  // request; a body that does not fit is answered 503.
  size_t max_buffered_bytes = size_t{1} << 30;

  // Called with a request whose headers have come and whose body has not (`body` is empty), from
  // every I/O thread. A reply that it returns is sent at once and the body is never read: for a
  // missing key. Null, or a null result: the body is read and the Handler asked.
  std::function<std::unique_ptr<Exchange>(const Request& head)> before_body;

  // From a request's first byte to the end of its headers.
  absl::Duration header_timeout = absl::Seconds(15);
  // Without a byte of the body; and a body as a whole may take this long plus a second per KiB.
  absl::Duration body_timeout = absl::Seconds(30);
  // Between two requests of a connection. Shorter than 120 s races with the pools of clients.
  absl::Duration idle_timeout = absl::Seconds(180);
  // Without the client accepting anything of a reply.
  absl::Duration write_stall_timeout = absl::Seconds(60);
  // Silence on a streamed reply after which its heartbeat is sent.
  absl::Duration heartbeat = absl::Seconds(15);
  // How long a connection is read (and what comes discarded) after its last reply, so that the
  // reply is not lost to a reset when the client is still sending.
  absl::Duration linger_timeout = absl::Seconds(5);

  CorsPolicy cors;
  // For Date and openai-processing-ms; the timeouts above run on the machine's steady clock.
  const Clock* clock = &SystemClock();
};

// Requests are answered from Start() on until Stop() or destruction. Start, Stop and the destructor
// are called from one thread at a time; port() from any.
//
// Every reply carries X-Request-Id, Date, Server, the CORS headers and openai-processing-ms.
// OPTIONS is answered here, for every path; HEAD reaches the handler as GET and its body is left
// out. Malformed requests are answered here with an OpenAI error body, and end their connection.
class Server {
 public:
  // `handler` is borrowed and must outlive the server.
  Server(ServerOptions options, Handler* handler);
  // Stops without grace.
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // Listens and starts the threads. AlreadyExists when the port is taken, InvalidArgument for a
  // host that is no address of this machine; the message says which and what to do. REQUIRES:
  // called once.
  absl::Status Start();

  // The port listened on. REQUIRES: Start() succeeded.
  int port() const;

  // Drains: closes idle connections and lets running replies finish for up to `grace`. The door
  // stays open meanwhile: every new request, on old connections and new ones, is answered 503
  // `shutting_down` with Connection: close, but GETs of /health, /livez and /readyz are still the
  // handler's, which should tell the truth; a head that has come in part is not waited for.
  // Replies that outlast the grace have half a second for an end of their own (see
  // Exchange::EndEarly). Then closes all. Every Exchange is destroyed when it returns. Later calls
  // do nothing.
  void Stop(absl::Duration grace);

 private:
  class Core;
  const std::unique_ptr<Core> core_;
};

}  // namespace switchboard::http

#endif  // SWITCHBOARD_HTTP_SERVER_H_
