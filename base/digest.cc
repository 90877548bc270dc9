#include "base/digest.h"

#include <openssl/evp.h>

#include "absl/strings/escaping.h"
#include "base/check.h"

namespace switchboard {

Sha256::Sha256() : context_(EVP_MD_CTX_new()) {
  CHECK(context_ != nullptr);
  CHECK(EVP_DigestInit_ex(static_cast<EVP_MD_CTX*>(context_), EVP_sha256(), nullptr) == 1);
}

Sha256::~Sha256() { EVP_MD_CTX_free(static_cast<EVP_MD_CTX*>(context_)); }

void Sha256::Update(absl::string_view bytes) {
  CHECK(EVP_DigestUpdate(static_cast<EVP_MD_CTX*>(context_), bytes.data(), bytes.size()) == 1);
}

std::string Sha256::Finish() {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned int size = 0;
  CHECK(EVP_DigestFinal_ex(static_cast<EVP_MD_CTX*>(context_), digest, &size) == 1);
  return std::string(reinterpret_cast<char*>(digest), size);
}

std::string Sha256Of(absl::string_view bytes) {
  Sha256 sha;
  sha.Update(bytes);
  return sha.Finish();
}

std::string ToHex(absl::string_view bytes) { return absl::BytesToHexString(bytes); }

}  // namespace switchboard
