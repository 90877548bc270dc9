#include "gateway/handlers/api_keys.h"

#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/digest.h"
#include "gateway/openai/error.h"

namespace switchboard::gateway {
namespace {

constexpr absl::string_view kScheme = "bearer";

// Looks at every byte, wherever the first difference is.
bool SameDigest(const std::string& a, const std::string& b) {
  unsigned char difference = 0;
  for (size_t i = 0; i < a.size(); ++i) difference |= static_cast<unsigned char>(a[i] ^ b[i]);
  return difference == 0;
}

// KEY of `Bearer KEY`; empty for anything else.
absl::string_view BearerToken(absl::string_view authorization) {
  if (!absl::StartsWithIgnoreCase(authorization, kScheme)) return "";
  absl::string_view rest = authorization.substr(kScheme.size());
  if (rest.empty() || rest[0] != ' ') return "";
  return absl::StripAsciiWhitespace(rest);
}

}  // namespace

absl::StatusOr<ApiKeys> ApiKeys::Parse(absl::string_view text) {
  ApiKeys keys;
  int number = 0;
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    ++number;
    line = absl::StripAsciiWhitespace(line);
    if (line.empty() || line[0] == '#') continue;
    for (char c : line) {
      if (!absl::ascii_isgraph(static_cast<unsigned char>(c))) {
        return absl::InvalidArgumentError(
            absl::StrCat("line ", number, ": a key is made of printable ASCII without spaces"));
      }
    }
    keys.digests_.push_back(Sha256Of(line));
  }
  if (keys.digests_.empty()) return absl::InvalidArgumentError("there is no key in it");
  return keys;
}

bool ApiKeys::Knows(absl::string_view key) const {
  const std::string digest = Sha256Of(key);
  bool known = false;
  for (const std::string& one : digests_) known |= SameDigest(one, digest);
  return known;
}

absl::Status ApiKeys::Check(absl::string_view authorization, absl::string_view x_api_key) const {
  if (digests_.empty()) return absl::OkStatus();
  const absl::string_view token = BearerToken(authorization);
  const absl::string_view key = token.empty() ? x_api_key : token;
  if (key.empty()) {
    return openai::Error("invalid_api_key", "",
                         "An API key is required: send 'Authorization: Bearer KEY'.");
  }
  if (!Knows(key)) return openai::Error("invalid_api_key", "", "The API key is not valid.");
  return absl::OkStatus();
}

}  // namespace switchboard::gateway
