// The ready file: how a process tells whoever started it that it listens, and where.
#ifndef SWITCHBOARD_HTTP_READY_FILE_H_
#define SWITCHBOARD_HTTP_READY_FILE_H_

#include <string>

#include "absl/status/status.h"

namespace switchboard::http {

struct ReadyInfo {
  std::string host;
  int port = 0;
  int admin_port = 0;  // 0: no admin listener, left out
};

// Writes {"host":...,"port":...,"admin_port":...} and a newline to `path`, replacing it in one
// step: a reader sees the old content or all of the new. Whatever else than a file is there
// stays, and is an error. The error names the path.
absl::Status WriteReadyFile(const std::string& path, const ReadyInfo& info);

}  // namespace switchboard::http

#endif  // SWITCHBOARD_HTTP_READY_FILE_H_
