#include "http/target.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/percent.h"
#include "base/utf8.h"

namespace switchboard::http {
namespace {

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
