#include "media/data_url.h"

#include <algorithm>
#include <optional>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/base64.h"
#include "base/percent.h"
#include "base/status_macros.h"

namespace switchboard::media {
namespace {

constexpr absl::string_view kScheme = "data:";
constexpr size_t kMaxSchemeBytes = 16;
constexpr absl::string_view kWayOut = "send the content inline as data:image/png;base64,...";

// The scheme of a URL in lower case, empty when it has none that is worth repeating.
std::string SchemeOf(absl::string_view url) {
  const size_t colon = url.find(':');
  if (colon == 0 || colon > kMaxSchemeBytes) return "";
  const absl::string_view scheme = url.substr(0, colon);
  const auto legal = [](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '+' || c == '-' || c == '.';
  };
  if (!std::all_of(scheme.begin(), scheme.end(), legal)) return "";
  return absl::AsciiStrToLower(scheme);
}

absl::Status RefuseOther(absl::string_view url) {
  if (url.empty()) return absl::InvalidArgumentError(absl::StrCat("the URL is empty; ", kWayOut));
  const std::string scheme = SchemeOf(url);
  if (scheme == "http" || scheme == "https") {
    return absl::InvalidArgumentError(
        absl::StrCat("remote media is disabled, ", scheme, ": URLs are not fetched; ", kWayOut));
  }
  if (!scheme.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(scheme, ": URLs are not supported; ", kWayOut));
  }
  return absl::InvalidArgumentError(absl::StrCat("the URL has no scheme; ", kWayOut));
}

absl::Status TooLarge(size_t max_bytes) {
  return absl::InvalidArgumentError(
      absl::StrCat("the data URL holds more than the accepted ", max_bytes, " bytes"));
}

}  // namespace

absl::StatusOr<DataUrl> ParseDataUrl(absl::string_view url) {
  url = absl::StripAsciiWhitespace(url);
  if (!absl::StartsWithIgnoreCase(url, kScheme)) return RefuseOther(url);
  const absl::string_view content = url.substr(kScheme.size());
  const size_t comma = content.find(',');
  if (comma == absl::string_view::npos) {
    return absl::InvalidArgumentError(absl::StrCat("the data URL has no comma; ", kWayOut));
  }
  const absl::string_view head = content.substr(0, comma);
  const size_t last = head.rfind(';');
  if (last == absl::string_view::npos ||
      !absl::EqualsIgnoreCase(absl::StripAsciiWhitespace(head.substr(last + 1)), "base64")) {
    return absl::InvalidArgumentError(
        absl::StrCat("the data URL is not marked as base64; ", kWayOut));
  }
  DataUrl parts;
  parts.media_type = absl::StripAsciiWhitespace(head.substr(0, head.find(';')));
  parts.payload = content.substr(comma + 1);
  return parts;
}

absl::StatusOr<std::string> DecodeDataPayload(absl::string_view payload, size_t max_bytes) {
  // Four symbols make three bytes, an escaped symbol takes three characters.
  if (payload.size() / 4 > max_bytes) return TooLarge(max_bytes);
  std::optional<std::string> unescaped;
  if (absl::StrContains(payload, '%')) {
    unescaped = PercentDecode(payload);
    if (!unescaped.has_value()) {
      return absl::InvalidArgumentError("invalid base64: broken percent escape in the data URL");
    }
    payload = *unescaped;
  }
  ASSIGN_OR_RETURN(std::string bytes, DecodeBase64(payload));
  if (bytes.empty()) return absl::InvalidArgumentError("invalid base64: the data URL is empty");
  if (bytes.size() > max_bytes) return TooLarge(max_bytes);
  return bytes;
}

}  // namespace switchboard::media
