// An HTTP client that hides nothing: bytes out, bytes in, and replies taken apart strictly.
#ifndef SWITCHBOARD_TESTS_UNIT_HTTP_RAW_CLIENT_H_
#define SWITCHBOARD_TESTS_UNIT_HTTP_RAW_CLIENT_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace switchboard::http {

struct RawReply {
  int status = 0;  // 0: the server closed without a whole reply
  std::string head;
  std::vector<std::pair<std::string, std::string>> headers;  // names in lower case
  std::string body;                                          // decoded
  std::vector<std::string> chunks;                           // of a chunked body

  // All values of this header (lower case), joined by " | "; empty when absent.
  std::string Header(absl::string_view name) const;
};

// A connection to 127.0.0.1. Waits end after ten seconds, as if the server had closed.
class RawClient {
 public:
  // `receive_buffer` bytes for the socket when not 0: a slow reader.
  explicit RawClient(int port, int receive_buffer = 0);
  ~RawClient();
  RawClient(const RawClient&) = delete;
  RawClient& operator=(const RawClient&) = delete;

  // Sends everything; false when the server has gone meanwhile.
  bool Send(absl::string_view bytes);
  // Reads one final reply, as to a GET, or to a HEAD when `head_only`. 100 Continue is skipped.
  RawReply Read(bool head_only = false);
  // Sends and reads.
  RawReply Ask(absl::string_view request);
  // Bytes up to and including `mark`; what came when the server closed before.
  std::string ReadUntil(absl::string_view mark);
  // Exactly this many bytes, or fewer when the server closes before.
  std::string ReadExactly(size_t bytes);
  // Everything until the server closes.
  std::string ReadAll();
  // The server has closed, with nothing more to read, before `within` passes.
  bool ClosedByServer(absl::Duration within = absl::Seconds(10));
  // Half-closes: no more is sent.
  void Finish();
  // Closes; with `reset` by RST.
  void Leave(bool reset = false);

 private:
  bool Receive(absl::Duration within);

  int socket_;
  std::string buffer_;
};

}  // namespace switchboard::http

#endif  // SWITCHBOARD_TESTS_UNIT_HTTP_RAW_CLIENT_H_
