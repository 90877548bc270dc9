// Percent escapes of URLs (RFC 3986, 2.1).
#ifndef SWITCHBOARD_BASE_PERCENT_H_
#define SWITCHBOARD_BASE_PERCENT_H_

#include <optional>
#include <string>

#include "absl/strings/string_view.h"

namespace switchboard {

// `text` with every %XX as the byte that it stands for; nothing when a % has no two hexadecimal
// digits behind it.
std::optional<std::string> PercentDecode(absl::string_view text);

}  // namespace switchboard

#endif  // SWITCHBOARD_BASE_PERCENT_H_
