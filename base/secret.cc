#include "base/secret.h"

#include <openssl/crypto.h>

#include "base/digest.h"

namespace switchboard {

Secret::Secret(absl::string_view text) : digest_(Sha256Of(text)) {}

bool Secret::Equals(const Secret& other) const {
  return CRYPTO_memcmp(digest_.data(), other.digest_.data(), digest_.size()) == 0;
}

}  // namespace switchboard
