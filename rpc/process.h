// The life of a server process: read the flags, start, serve until SIGINT or SIGTERM, stop. The
// three binaries differ only in their options and in what they start.
#ifndef SWITCHBOARD_RPC_PROCESS_H_
#define SWITCHBOARD_RPC_PROCESS_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/command_line.h"
#include "base/log.h"
#include "base/stop_signal.h"
#include "rpc/server.h"
#include "rpc/stop_watcher.h"

namespace switchboard::rpc {

// The exit codes: whoever restarts a dead process should not when its flags are wrong.
inline constexpr int kExitOk = 0, kExitCannotStart = 1;

// For main(): its exit code. `name` stands in JSON log lines. Options has log_format and
// drain_timeout; Server has `static absl::StatusOr<std::unique_ptr<Server>> Start(const Options&)`
// and `void Stop()`.
template <typename Server, typename Options>
int RunProcess(absl::string_view name, absl::StatusOr<Options> (*read_options)(), int argc,
               char** argv) {
  BlockStopSignals();
  const std::vector<std::string> words = ParseCommandLine(argc, argv);
  absl::StatusOr<Options> options = read_options();
  if (options.ok() && !words.empty()) {
    options = absl::InvalidArgumentError("'" + words[0] + "' is not a flag; try --help");
  }
  if (!options.ok()) {
    LOG(ERROR) << options.status().message();
    return kExitBadFlags;
  }
  SetUpLogging(name, options->log_format, LogSeverity::kInfo);
  RouteGrpcLog();
  StopWatcher stop;
  absl::StatusOr<std::unique_ptr<Server>> server = Server::Start(*options);
  if (!server.ok()) {
    LOG(ERROR) << server.status().message();
    return kExitCannotStart;
  }
  stop.Started();
  stop.Wait();
  LOG(INFO) << "stopping: running answers have " << absl::FormatDuration(options->drain_timeout)
            << " to finish";
  (*server)->Stop();
  LOG(INFO) << "stopped";
  return kExitOk;
}

}  // namespace switchboard::rpc

#endif  // SWITCHBOARD_RPC_PROCESS_H_
