// The bytes of one reply: status line, headers, framing. Pure.
#ifndef SWITCHBOARD_HTTP_REPLY_WRITER_H_
#define SWITCHBOARD_HTTP_REPLY_WRITER_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "http/cors.h"
#include "http/message.h"

namespace switchboard::http {

// What of the request and its connection shapes the reply.
struct ReplyContext {
  bool head_only = false;   // the request was HEAD: headers without the body
  bool http10 = false;      // no chunks: the end of a streamed body is the end of the connection
  bool keep_alive = false;  // the connection may go on after this reply
  std::string request_id;
  HeaderList cors;
};

// Values that are known only when the head is sent.
struct ReplyStamp {
  absl::Time date;
  int64_t processing_ms = 0;
};

// Turns the steps of an Exchange, given in their order, into what goes onto the wire. An exchange
// that breaks the order is a bug and fails a CHECK. Not thread-safe.
class ReplyWriter {
 public:
  explicit ReplyWriter(ReplyContext context);

  // Each returns the bytes to send now; possibly none. Framing headers (Content-Length,
  // Transfer-Encoding, Date, Server, X-Request-Id) given by the handler are dropped; `Connection:
  // close` is obeyed; control characters in header values become spaces.
  std::string OnHead(Head head, const ReplyStamp& stamp);
  std::string OnBody(absl::string_view body);
  std::string OnEnd();

  // Nothing more has to be sent; true after OnEnd, and earlier for a streamed reply to HEAD.
  bool complete() const { return state_ == State::kEnded; }
  // Whether the client was told that the connection goes on.
  bool keep_alive() const { return context_.keep_alive; }
  // Text for a silent stream; empty when there is none or a stream is not running.
  absl::string_view heartbeat() const;

 private:
  enum class State { kBeforeHead, kBeforeBody, kStreaming, kBodySent, kEnded };

  std::string RenderHead(const Head& head, const ReplyStamp& stamp);
  std::string Chunk(absl::string_view body) const;

  ReplyContext context_;
  State state_ = State::kBeforeHead;
  // Of a reply that is not streamed: it lacks Content-Length and the empty line.
  std::string held_head_;
  bool has_body_ = true;  // false for 204 and 304
  std::string heartbeat_;
};

}  // namespace switchboard::http

#endif  // SWITCHBOARD_HTTP_REPLY_WRITER_H_
