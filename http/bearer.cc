#include "http/bearer.h"

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"

namespace switchboard::http {

absl::string_view BearerToken(absl::string_view authorization) {
  constexpr absl::string_view kScheme = "Bearer ";
  if (!absl::StartsWithIgnoreCase(authorization, kScheme)) return "";
  return absl::StripAsciiWhitespace(authorization.substr(kScheme.size()));
}

}  // namespace switchboard::http
