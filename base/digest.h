// SHA-256 over OpenSSL.
#ifndef SWITCHBOARD_BASE_DIGEST_H_
#define SWITCHBOARD_BASE_DIGEST_H_

#include <string>

#include "absl/strings/string_view.h"

namespace switchboard {

// Incremental SHA-256. Not thread-safe.
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;

  void Update(absl::string_view bytes);
  // The 32 digest bytes. REQUIRES: called once, nothing added afterwards.
  std::string Finish();

 private:
  void* context_;  // owned EVP_MD_CTX
};

// The 32 bytes of the digest of `bytes`.
std::string Sha256Of(absl::string_view bytes);

// Lower-case hexadecimal.
std::string ToHex(absl::string_view bytes);

}  // namespace switchboard

#endif  // SWITCHBOARD_BASE_DIGEST_H_
