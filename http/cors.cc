#include "http/cors.h"

#include <algorithm>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace switchboard::http {
namespace {

// Named one by one: a `*` does not cover them when credentials are allowed (Fetch standard).
constexpr char kExposed[] =
    "X-Request-Id, Retry-After, openai-processing-ms, x-cache, x-ratelimit-limit-requests, "
    "x-ratelimit-remaining-requests, x-ratelimit-reset-requests, x-ratelimit-limit-tokens, "
    "x-ratelimit-remaining-tokens, x-ratelimit-reset-tokens";
constexpr char kMethods[] = "GET, POST, DELETE, OPTIONS";
constexpr char kDefaultRequestHeaders[] = "Authorization, Content-Type";

bool IsPort(absl::string_view text) {
  return !text.empty() && text.size() <= 5 &&
         std::all_of(text.begin(), text.end(), absl::ascii_isdigit);
}

// Strips `http://` or `https://`; false when there is neither.
bool ConsumeScheme(absl::string_view* origin) {
  return absl::ConsumePrefix(origin, "http://") || absl::ConsumePrefix(origin, "https://");
}

bool IsLocalhost(absl::string_view origin) {
  if (!ConsumeScheme(&origin)) return false;
  for (absl::string_view host : {"localhost", "127.0.0.1", "[::1]"}) {
    absl::string_view rest = origin;
    if (!absl::ConsumePrefix(&rest, host)) continue;
    return rest.empty() || (absl::ConsumePrefix(&rest, ":") && IsPort(rest));
  }
  return false;
}

// scheme://host[:port] without path; what a browser sends, so what can ever match.
bool IsOrigin(absl::string_view text) {
  if (!ConsumeScheme(&text) || text.empty()) return false;
  return std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return absl::ascii_isalnum(c) || absl::string_view(".-_:[]").find(c) != absl::string_view::npos;
  });
}

// A list of header names and nothing else: it is copied into our reply.
bool IsNameList(absl::string_view text) {
  return std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return absl::ascii_isalnum(c) ||
           absl::string_view("!#$%&'*+-.^_`|~, ").find(c) != absl::string_view::npos;
  });
}

}  // namespace

absl::StatusOr<CorsPolicy> CorsPolicy::Parse(absl::string_view text) {
  CorsPolicy policy;
  const absl::string_view trimmed = absl::StripAsciiWhitespace(text);
  if (trimmed == "off") return policy;
  if (trimmed == "localhost") {
    policy.mode_ = Mode::kLocalhost;
    return policy;
  }
  if (trimmed == "*") {
    policy.mode_ = Mode::kAny;
    return policy;
  }
  policy.mode_ = Mode::kList;
  for (absl::string_view entry : absl::StrSplit(trimmed, ',')) {
    const std::string origin = absl::AsciiStrToLower(absl::StripAsciiWhitespace(entry));
    if (!IsOrigin(origin)) {
      return absl::InvalidArgumentError(
          absl::StrCat("CORS origin \"", entry,
                       "\" is not one; give off, localhost, * or origins such as "
                       "https://chat.example.com separated by commas"));
    }
    policy.origins_.push_back(origin);
  }
  return policy;
}

bool CorsPolicy::Allows(absl::string_view origin) const {
  if (origin.empty()) return false;
  const std::string lower = absl::AsciiStrToLower(origin);
  switch (mode_) {
    case Mode::kOff:
      return false;
    case Mode::kAny:
      return true;
    case Mode::kLocalhost:
      return IsLocalhost(lower);
    case Mode::kList:
      return std::find(origins_.begin(), origins_.end(), lower) != origins_.end();
  }
  return false;
}

HeaderList CorsPolicy::OriginHeaders(absl::string_view origin) const {
  HeaderList headers;
  if (mode_ == Mode::kOff) return headers;
  if (mode_ == Mode::kAny) {
    if (Allows(origin)) headers.emplace_back("Access-Control-Allow-Origin", "*");
    return headers;
  }
  // Also without a match: a cache must not hand this reply to a page of another origin.
  headers.emplace_back("Vary", "Origin");
  if (!Allows(origin)) return headers;
  headers.emplace_back("Access-Control-Allow-Origin", std::string(origin));
  headers.emplace_back("Access-Control-Allow-Credentials", "true");
  return headers;
}

HeaderList CorsPolicy::ReplyHeaders(absl::string_view origin) const {
  HeaderList headers = OriginHeaders(origin);
  if (Allows(origin)) headers.emplace_back("Access-Control-Expose-Headers", kExposed);
  return headers;
}

HeaderList CorsPolicy::PreflightHeaders(absl::string_view origin, absl::string_view wanted) const {
  HeaderList headers = OriginHeaders(origin);
  if (!Allows(origin)) return headers;
  headers.emplace_back("Access-Control-Allow-Methods", kMethods);
  const bool reflect = !wanted.empty() && IsNameList(wanted);
  headers.emplace_back("Access-Control-Allow-Headers",
                       reflect ? std::string(wanted) : kDefaultRequestHeaders);
  headers.emplace_back("Access-Control-Max-Age", "600");
  return headers;
}

}  // namespace switchboard::http
