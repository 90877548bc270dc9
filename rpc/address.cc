#include "rpc/address.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/un.h>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/host.h"
#include "base/status_macros.h"

namespace switchboard::rpc {
namespace {

constexpr absl::string_view kUnixScheme = "unix:";
// The kernel's field holds the path and its terminating zero.
constexpr size_t kMaxUnixPath = sizeof(sockaddr_un::sun_path) - 1;
constexpr size_t kMaxHost = 253;  // of a DNS name, RFC 1035

absl::Status Bad(absl::string_view text, absl::string_view why) {
  return absl::InvalidArgumentError(absl::StrCat("address \"", text.substr(0, 300), "\" ", why));
}

bool IsHostByte(char c) {
  return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '.' || c == '-' || c == '_';
}

absl::Status CheckHost(absl::string_view text, absl::string_view host, bool bracketed) {
  if (host.empty()) return Bad(text, "has no host");
  if (bracketed) {
    in6_addr ignored;
    if (inet_pton(AF_INET6, std::string(host).c_str(), &ignored) != 1) {
      return Bad(text, "has no IPv6 address in its brackets");
    }
    return absl::OkStatus();
  }
  if (host.size() > kMaxHost) return Bad(text, "has a host name of more than 253 characters");
  for (const char c : host) {
    if (!IsHostByte(c)) return Bad(text, "is not host:port, [ipv6]:port or unix:/path");
  }
  return absl::OkStatus();
}

absl::StatusOr<Address> ParseUnix(absl::string_view text) {
  Address address;
  address.path = std::string(text.substr(kUnixScheme.size()));
  if (address.path.empty()) return Bad(text, "has no path behind unix:");
  if (address.path.find('\0') != std::string::npos) return Bad(text, "has a zero byte in its path");
  if (address.path.size() > kMaxUnixPath) {
    return Bad(text, absl::StrCat("has a path of ", address.path.size(),
                                  " bytes; a socket path has ", kMaxUnixPath, " at most"));
  }
  return address;
}

absl::StatusOr<Address> Parse(absl::string_view text, int least_port) {
  if (absl::StartsWith(text, kUnixScheme)) return ParseUnix(text);
  const size_t colon = text.rfind(':');
  if (colon == absl::string_view::npos) return Bad(text, "has no port");
  absl::string_view host = text.substr(0, colon);
  const bool bracketed = host.size() >= 2 && host.front() == '[' && host.back() == ']';
  if (bracketed) host = host.substr(1, host.size() - 2);
  RETURN_IF_ERROR(CheckHost(text, host, bracketed));

  const absl::string_view digits = text.substr(colon + 1);
  Address address;
  address.host = std::string(host);
  const bool is_number = !digits.empty() && digits.size() <= 5 &&
                         digits.find_first_not_of("0123456789") == absl::string_view::npos &&
                         absl::SimpleAtoi(digits, &address.port);
  if (!is_number || address.port < least_port || address.port > 65535) {
    return Bad(text, absl::StrCat("needs a port from ", least_port, " to 65535"));
  }
  return address;
}

}  // namespace

std::string Address::ToString() const {
  if (is_unix()) return absl::StrCat(kUnixScheme, path);
  return HostPort(host, port);
}

bool Address::IsLocal() const { return is_unix() || IsLoopback(host); }

absl::StatusOr<Address> ParseListenAddress(absl::string_view text) { return Parse(text, 0); }

absl::StatusOr<Address> ParseDialAddress(absl::string_view text) { return Parse(text, 1); }

absl::StatusOr<std::vector<Address>> ParseDialAddresses(absl::string_view text) {
  std::vector<Address> addresses;
  absl::flat_hash_set<std::string> seen;
  for (absl::string_view part : absl::StrSplit(text, ',')) {
    part = absl::StripAsciiWhitespace(part);
    ASSIGN_OR_RETURN(Address address, ParseDialAddress(part));
    if (!seen.insert(address.ToString()).second) return Bad(part, "is given twice");
    addresses.push_back(std::move(address));
  }
  return addresses;
}

}  // namespace switchboard::rpc
