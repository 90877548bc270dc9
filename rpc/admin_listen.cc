#include "rpc/admin_listen.h"

#include <cstddef>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "base/mapped_file.h"
#include "base/status_macros.h"

namespace switchboard::rpc {
namespace {

constexpr size_t kMaxTokenFile = 4096;

}  // namespace

absl::StatusOr<AdminListen> ReadAdminListen(absl::string_view listen,
                                            const std::string& token_file) {
  AdminListen admin;
  if (!listen.empty()) {
    absl::StatusOr<Address> address = ParseListenAddress(listen);
    if (!address.ok()) return Annotate(address.status(), "--admin-listen");
    if (address->is_unix()) {
      return absl::InvalidArgumentError(
          absl::StrCat("--admin-listen=", listen, ": give host:port"));
    }
    admin.address = *std::move(address);
  }
  if (token_file.empty()) return admin;
  const absl::StatusOr<std::string> token = ReadFile(token_file, kMaxTokenFile);
  if (!token.ok()) return Annotate(token.status(), "--admin-token-file");
  admin.token = std::string(absl::StripAsciiWhitespace(*token));
  if (admin.token.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("--admin-token-file=", token_file, ": the file is empty"));
  }
  return admin;
}

}  // namespace switchboard::rpc
