// The target of a request line: which path it means. Pure.
#ifndef SWITCHBOARD_HTTP_TARGET_H_
#define SWITCHBOARD_HTTP_TARGET_H_

#include <optional>
#include <string>

#include "absl/strings/string_view.h"

namespace switchboard::http {

struct Target {
  std::string path;   // in the form of Request::path, or "*"
  std::string query;  // raw, without '?'
};

// Splits `*`, `/path?query` or `http://authority/path?query`. The path is percent-decoded once;
// repeated slashes collapse, `.` and `..` segments are resolved, trailing slashes are dropped.
// Nothing for what is not a path: a bad escape, a control character, invalid UTF-8, a fragment, a
// `..` above the root.
std::optional<Target> ParseTarget(absl::string_view target);

}  // namespace switchboard::http

#endif  // SWITCHBOARD_HTTP_TARGET_H_
