#include "http/target.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/utf8.h"

namespace switchboard::http {
namespace {

// -1 when `c` is no hex digit.
int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::optional<std::string> PercentDecode(absl::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out.push_back(text[i]);
      continue;
    }
    if (text.size() - i < 3) return std::nullopt;
    const int high = HexDigit(text[i + 1]);
    const int low = HexDigit(text[i + 2]);
    if (high < 0 || low < 0) return std::nullopt;
    out.push_back(static_cast<char>(high * 16 + low));
    i += 2;
  }
  return out;
}

// REQUIRES: `path` starts with a slash.
std::optional<std::string> ResolveSegments(absl::string_view path) {
  std::vector<absl::string_view> segments;
  for (absl::string_view segment : absl::StrSplit(path, '/', absl::SkipEmpty())) {
    if (segment == ".") continue;
    if (segment != "..") {
      segments.push_back(segment);
    } else if (segments.empty()) {
      return std::nullopt;
    } else {
      segments.pop_back();
    }
  }
  std::string out;
  for (absl::string_view segment : segments) absl::StrAppend(&out, "/", segment);
  return out.empty() ? "/" : out;
}

bool IsControl(unsigned char c) { return c < 0x20 || c == 0x7f; }

// `http://authority/path` is what a client sends to a proxy; servers must understand it too.
absl::string_view WithoutAuthority(absl::string_view target) {
  for (absl::string_view scheme : {"http://", "https://"}) {
    if (!absl::StartsWithIgnoreCase(target, scheme)) continue;
    const size_t start = target.find_first_of("/?", scheme.size());
    return start == absl::string_view::npos ? "/" : target.substr(start);
  }
  return target;
}

}  // namespace

std::optional<Target> ParseTarget(absl::string_view target) {
  if (target == "*") return Target{"*", ""};
  if (target.find('#') != absl::string_view::npos) return std::nullopt;
  target = WithoutAuthority(target);
  const size_t question = std::min(target.find('?'), target.size());
  absl::string_view path = target.substr(0, question);
  if (path.empty() && question < target.size()) path = "/";
  if (!absl::StartsWith(path, "/")) return std::nullopt;

  const std::optional<std::string> decoded = PercentDecode(path);
  if (!decoded || !IsValidUtf8(*decoded)) return std::nullopt;
  if (std::any_of(decoded->begin(), decoded->end(), IsControl)) return std::nullopt;
  std::optional<std::string> resolved = ResolveSegments(*decoded);
  if (!resolved) return std::nullopt;
  Target result;
  result.path = *std::move(resolved);
  if (question < target.size()) result.query = std::string(target.substr(question + 1));
  return result;
}

}  // namespace switchboard::http
