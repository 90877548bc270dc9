#include "rpc/listen_check.h"

#include <netdb.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"

namespace switchboard::rpc {
namespace {

absl::Status Refused(const Address& address, absl::string_view why) {
  return absl::UnavailableError(absl::StrCat("cannot listen on ", address.ToString(), ": ", why));
}

absl::Status CheckUnix(const Address& address) {
  struct stat info = {};
  if (lstat(address.path.c_str(), &info) != 0) {
    const size_t slash = address.path.rfind('/');
    const std::string folder =
        slash == std::string::npos ? "." : address.path.substr(0, slash == 0 ? 1 : slash);
    if (access(folder.c_str(), W_OK | X_OK) != 0) {
      return Refused(address, absl::StrCat("folder ", folder, ": ", std::strerror(errno)));
    }
    return absl::OkStatus();
  }
  if (!S_ISSOCK(info.st_mode)) return Refused(address, "a file that is no socket is in its place");

  const int socket_fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (socket_fd < 0) return Refused(address, std::strerror(errno));
  const auto closer = absl::MakeCleanup([socket_fd] { close(socket_fd); });
  sockaddr_un name = {};
  name.sun_family = AF_UNIX;
  std::memcpy(name.sun_path, address.path.data(), address.path.size());
  if (connect(socket_fd, reinterpret_cast<const sockaddr*>(&name), sizeof(name)) == 0) {
    return Refused(address, "the address is in use by another process");
  }
  return absl::OkStatus();
}

absl::Status CheckTcp(const Address& address) {
  addrinfo hints = {};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE;
  addrinfo* found = nullptr;
  const int error =
      getaddrinfo(address.host.c_str(), std::to_string(address.port).c_str(), &hints, &found);
  if (error != 0) return Refused(address, gai_strerror(error));
  const auto freer = absl::MakeCleanup([found] { freeaddrinfo(found); });

  const int socket_fd = socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (socket_fd < 0) return Refused(address, std::strerror(errno));
  const auto closer = absl::MakeCleanup([socket_fd] { close(socket_fd); });
  // As gRPC does: connections that linger after a restart do not hold the port.
  const int on = 1;
  setsockopt(socket_fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  if (bind(socket_fd, found->ai_addr, found->ai_addrlen) == 0) return absl::OkStatus();
  if (errno == EADDRINUSE) return Refused(address, "the address is in use by another process");
  return Refused(address, std::strerror(errno));
}

}  // namespace

absl::Status CheckCanListen(const Address& address) {
  return address.is_unix() ? CheckUnix(address) : CheckTcp(address);
}

}  // namespace switchboard::rpc
