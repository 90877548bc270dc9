// Base64 (RFC 4648) for payloads that people and programs paste into JSON.
#ifndef SWITCHBOARD_BASE_BASE64_H_
#define SWITCHBOARD_BASE_BASE64_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace switchboard {

// Decodes the standard and the URL-safe alphabet (also mixed), with or without padding, white space
// anywhere. InvalidArgument for any other character, for text behind the padding, and for a length
// that no encoder produces.
absl::StatusOr<std::string> DecodeBase64(absl::string_view text);

}  // namespace switchboard

#endif  // SWITCHBOARD_BASE_BASE64_H_
