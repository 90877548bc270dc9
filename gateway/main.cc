// switchboard-gateway: speaks the OpenAI API to clients and token ids to routers.
#include "base/command_line.h"
#include "base/log.h"
#include "base/stop_signal.h"
#include "gateway/options.h"
#include "gateway/server.h"
#include "rpc/server.h"

int main(int argc, char** argv) {
  using namespace switchboard;
  BlockStopSignals();
  const std::vector<std::string> words = ParseCommandLine(argc, argv);
  absl::StatusOr<gateway::GatewayOptions> options = gateway::OptionsFromFlags();
  if (options.ok() && !words.empty()) {
    options = absl::InvalidArgumentError("'" + words[0] + "' is not a flag; try --help");
  }
  if (!options.ok()) {
    LOG(ERROR) << options.status().message();
    return 2;
  }
  SetUpLogging("gateway", options->log_format, LogSeverity::kInfo);
  rpc::RouteGrpcLog();
  absl::StatusOr<std::unique_ptr<gateway::GatewayServer>> server =
      gateway::GatewayServer::Start(*options);
  if (!server.ok()) {
    LOG(ERROR) << server.status().message();
    return 1;
  }
  WaitForStopSignal();
  LOG(INFO) << "stopping: running answers have " << absl::FormatDuration(options->drain_timeout)
            << " to finish";
  (*server)->Stop();
  LOG(INFO) << "stopped";
  return 0;
}
