// HTTP as the handlers see it: plain values, no Boost. One request is answered by one Exchange,
// which its connection pulls; destroying the Exchange is how a handler learns that the client has
// left.
#ifndef SWITCHBOARD_HTTP_MESSAGE_H_
#define SWITCHBOARD_HTTP_MESSAGE_H_

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "http/byte_budget.h"

namespace switchboard::http {

// A request with its whole body, checked by limits.h. Move-only.
struct Request {
  std::string method;  // upper case
  std::string path;  // percent-decoded once, slashes collapsed, without trailing slash (except "/")
  std::string query;                                         // raw, without '?'
  std::vector<std::pair<std::string, std::string>> headers;  // names in lower case
  std::string body;
  // What the body takes of ServerOptions::max_buffered_bytes, from its first byte until the request
  // is destroyed. A handler that frees the body earlier says so with body_share.GiveBack(); one
  // that moves the body elsewhere moves the share along.
  ByteShare body_share;
  // From X-Request-Id when that is well-formed, else 32 random hex digits; also set on every reply.
  std::string request_id;
  bool request_id_from_client = false;

  // Value of the first header of this name (lower case); empty when absent.
  absl::string_view Header(absl::string_view name) const;
};

// Status and headers of a reply. The connection adds Date, X-Request-Id, CORS, framing.
struct Head {
  int status = 200;
  std::vector<std::pair<std::string, std::string>> headers;
  // True: the body follows in pieces (chunked). False: exactly one kBody step follows.
  bool streamed = false;
  // Text sent while a streamed body is silent for the server's heartbeat interval; empty: none.
  std::string heartbeat;
};

// What a connection is to do next for its exchange.
struct Step {
  enum Kind {
    kWait,  // nothing yet: call NotifyWhenReady
    kHead,  // send `head`; first, once
    kBody,  // send `body`; may be several for a streamed reply
    kEnd,   // the reply is complete
    kAbort  // close the connection without completing the reply
  } kind = kWait;
  Head head;
  std::string body;
};

// One request being answered. Owned by its connection and used from that connection's thread only,
// except that `wake` may be called from any thread. The destructor cancels what is still running;
// it must not block.
class Exchange {
 public:
  virtual ~Exchange() = default;
  // The next step. Never blocks.
  virtual Step Next() = 0;
  // After kWait: calls `wake` once (from any thread, also from inside this call) as soon as Next()
  // has more to say. Called again only after another kWait; a new call replaces the old `wake`.
  virtual void NotifyWhenReady(std::function<void()> wake) = 0;
  // The server stops and the time for running replies is over: once, at any time. What Next() says
  // from now on should end the reply without waiting again, and truthfully: by a 503 where the head
  // has not been said, by an error in the body behind it. An exchange that does not know how is
  // left as it is, and cut off a moment later.
  virtual void EndEarly() {}
};

// Answers requests. Thread-safe: called from every I/O thread. Must not block for long.
class Handler {
 public:
  virtual ~Handler() = default;
  // Never null.
  virtual std::unique_ptr<Exchange> Start(Request request) = 0;
};

// An exchange that sends this reply at once. `head.streamed` must be false.
std::unique_ptr<Exchange> ReplyWith(Head head, std::string body);

}  // namespace switchboard::http

#endif  // SWITCHBOARD_HTTP_MESSAGE_H_
