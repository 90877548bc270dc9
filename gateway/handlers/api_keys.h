// Which API keys open the door. With none configured every request is let in, whatever it carries.
#ifndef SWITCHBOARD_GATEWAY_HANDLERS_API_KEYS_H_
#define SWITCHBOARD_GATEWAY_HANDLERS_API_KEYS_H_

#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/secret.h"

namespace switchboard::gateway {

// Immutable, so thread-safe. What a stranger is told takes the same time for every wrong key.
class ApiKeys {
 public:
  // No keys: everybody may come in.
  ApiKeys() = default;
  // One key per line; empty lines and lines that begin with # are skipped. InvalidArgument, naming
  // the line, for a key with white space or control characters, and for a text without any key: an
  // empty file must not open the door.
  static absl::StatusOr<ApiKeys> Parse(absl::string_view text);

  // OK when `authorization` is `Bearer KEY` with one of the keys, or `x_api_key` is one of them.
  absl::Status Check(absl::string_view authorization, absl::string_view x_api_key) const;

 private:
  bool Knows(absl::string_view key) const;

  std::vector<Secret> keys_;
};

}  // namespace switchboard::gateway

#endif  // SWITCHBOARD_GATEWAY_HANDLERS_API_KEYS_H_
