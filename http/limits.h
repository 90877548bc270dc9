// What a request must look like before anybody works on it: size limits and the rules that keep two
// parsers from reading the same bytes differently (request smuggling, RFC 9112 section 11.2). Pure.
#ifndef SWITCHBOARD_HTTP_LIMITS_H_
#define SWITCHBOARD_HTTP_LIMITS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "http/refusal.h"

namespace switchboard::http {

struct HeadLimits {
  size_t max_bytes = 64 << 10;       // request line, headers and the empty line
  size_t max_line_bytes = 16 << 10;  // one header
  size_t max_target_bytes = 8 << 10;
  int max_headers = 100;
};

// The head of a request as it was parsed. Names are in lower case, values trimmed.
struct RequestHead {
  std::string method;
  std::string target;
  int version = 11;  // 10 or 11
  std::vector<std::pair<std::string, std::string>> headers;
};

// Looks at the bytes of a head while they arrive, before anything parses them: finds its end and
// refuses what a parser might forgive (bare CR or LF, control bytes, folded lines). Each byte is
// looked at a bounded number of times, however small the pieces are.
class HeadScanner {
 public:
  explicit HeadScanner(const HeadLimits& limits) : limits_(limits) {}

  struct Result {
    // Bytes of the whole head, 0 while its end has not come.
    size_t head_bytes = 0;
    std::optional<Refusal> refusal;
  };
  // `bytes` is everything received since the first byte of the head: what the last call saw, and
  // more.
  Result Scan(absl::string_view bytes);

 private:
  std::optional<Refusal> CheckLine(absl::string_view line) const;
  std::optional<Refusal> CheckStart(absl::string_view bytes) const;

  const HeadLimits limits_;
  size_t line_start_ = 0;
  size_t searched_ = 0;  // no line end before this place
  int lines_ = 0;
};

// How the body of a request is delimited.
struct BodyFraming {
  bool chunked = false;
  uint64_t content_length = 0;  // when not chunked
  bool expects_continue = false;
};

// Checks a parsed head: method, host, framing, content encoding. Fills `framing` when it returns
// nothing.
std::optional<Refusal> CheckHead(const RequestHead& head, BodyFraming* framing);

// Whether the connection may carry another request after this one.
bool KeepsAlive(const RequestHead& head);

}  // namespace switchboard::http

#endif  // SWITCHBOARD_HTTP_LIMITS_H_
