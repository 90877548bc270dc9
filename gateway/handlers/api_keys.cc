#include "gateway/handlers/api_keys.h"

#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "gateway/openai/error.h"
#include "http/bearer.h"

namespace switchboard::gateway {
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
    keys.keys_.emplace_back(line);
  }
  if (keys.keys_.empty()) return absl::InvalidArgumentError("there is no key in it");
  return keys;
}

bool ApiKeys::Knows(absl::string_view key) const {
  const Secret given(key);
  bool known = false;
  for (const Secret& one : keys_) known |= one.Equals(given);
  return known;
}

absl::Status ApiKeys::Check(absl::string_view authorization, absl::string_view x_api_key) const {
  if (keys_.empty()) return absl::OkStatus();
  const absl::string_view token = http::BearerToken(authorization);
  const absl::string_view key = token.empty() ? x_api_key : token;
  if (key.empty()) {
    return openai::Error("invalid_api_key", "",
                         "An API key is required: send 'Authorization: Bearer KEY'.");
  }
  if (!Knows(key)) return openai::Error("invalid_api_key", "", "The API key is not valid.");
  return absl::OkStatus();
}

}  // namespace switchboard::gateway
