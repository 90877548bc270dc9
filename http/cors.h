// Cross-origin rules: which browser pages may call us, and the headers that tell the browser so.
// Pure.
#ifndef SWITCHBOARD_HTTP_CORS_H_
#define SWITCHBOARD_HTTP_CORS_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace switchboard::http {

using HeaderList = std::vector<std::pair<std::string, std::string>>;

// Immutable after construction, so thread-safe.
class CorsPolicy {
 public:
  // No page of another origin (`off`).
  CorsPolicy() = default;

  // `off`; `localhost`: pages from http(s)://localhost, 127.0.0.1 or [::1] on any port; `*`: every
  // page, without credentials; otherwise a comma-separated list of origins such as
  // `https://chat.example.com`. InvalidArgument names the entry that is not an origin.
  static absl::StatusOr<CorsPolicy> Parse(absl::string_view text);

  // Headers for any reply, errors included. `origin` is the request's Origin header, empty if it
  // had none.
  HeaderList ReplyHeaders(absl::string_view origin) const;

  // Headers for the answer to an OPTIONS request; `wanted` is its Access-Control-Request-Headers.
  HeaderList PreflightHeaders(absl::string_view origin, absl::string_view wanted) const;

 private:
  enum class Mode { kOff, kLocalhost, kAny, kList };

  bool Allows(absl::string_view origin) const;
  // Access-Control-Allow-Origin and its companions; empty when the origin is not allowed.
  HeaderList OriginHeaders(absl::string_view origin) const;

  Mode mode_ = Mode::kOff;
  std::vector<std::string> origins_;  // for kList, lower case
};

}  // namespace switchboard::http

#endif  // SWITCHBOARD_HTTP_CORS_H_
