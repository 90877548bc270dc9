// A secret that strangers may guess at: a key, a token.
#ifndef SWITCHBOARD_BASE_SECRET_H_
#define SWITCHBOARD_BASE_SECRET_H_

#include <string>

#include "absl/strings/string_view.h"

namespace switchboard {

// Keeps a digest in its place. Immutable, so thread-safe.
class Secret {
 public:
  explicit Secret(absl::string_view text);

  // Whether both are of the same text. The time taken tells neither where they differ nor how long
  // one is.
  bool Equals(const Secret& other) const;

 private:
  std::string digest_;
};

}  // namespace switchboard

#endif  // SWITCHBOARD_BASE_SECRET_H_
