#include "http/ready_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/json.h"
#include "base/status_macros.h"

namespace switchboard::http {
namespace {

absl::Status FileError(absl::string_view what, const std::string& path) {
  return absl::ErrnoToStatus(errno, absl::StrCat("cannot ", what, " ready file ", path));
}

absl::Status WriteWhole(const std::string& path, absl::string_view text) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (fd < 0) return FileError("create", path);
  while (!text.empty()) {
    const ssize_t written = ::write(fd, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      const absl::Status status = FileError("write", path);
      ::close(fd);
      return status;
    }
    text.remove_prefix(static_cast<size_t>(written));
  }
  if (::close(fd) != 0) return FileError("write", path);
  return absl::OkStatus();
}

}  // namespace

absl::Status WriteReadyFile(const std::string& path, const ReadyInfo& info) {
  struct stat there = {};
  if (::lstat(path.c_str(), &there) == 0 && !S_ISREG(there.st_mode)) {
    return absl::FailedPreconditionError(
        absl::StrCat("cannot replace ready file ", path, ": it is no regular file"));
  }
  JsonObject body;
  body["host"] = info.host;
  body["port"] = info.port;
  if (info.admin_port != 0) body["admin_port"] = info.admin_port;
  // In the same folder, since a rename replaces a file in one step only within a file system.
  const std::string draft = absl::StrCat(path, ".", ::getpid(), ".tmp");
  absl::Status status = WriteWhole(draft, SerializeJson(body) + "\n");
  if (status.ok() && ::rename(draft.c_str(), path.c_str()) != 0) {
    status = FileError("replace", path);
  }
  if (!status.ok()) ::unlink(draft.c_str());
  return status;
}

}  // namespace switchboard::http
