// worker-double: a worker without a model, for tests and measurements of router and gateway.
#include <cstdint>
#include <iostream>
#include <string>
#include <utility>

#include "absl/flags/flag.h"
#include "absl/strings/str_split.h"
#include "base/command_line.h"
#include "base/log.h"
#include "base/stop_signal.h"
#include "rpc/server.h"
#include "tests/double/double_worker.h"

ABSL_FLAG(std::string, listen, "127.0.0.1:50061", "HOST:PORT or unix:/PATH");
ABSL_FLAG(std::string, models, "double", "names to serve, separated by commas");
ABSL_FLAG(std::string, name, "double", "of this worker, in reports");
ABSL_FLAG(std::string, fingerprint, "double-1", "of the model card");
ABSL_FLAG(int, max_running, 64, "choices at once; further requests wait");
ABSL_FLAG(int, max_waiting, 64, "requests that wait; further ones get RESOURCE_EXHAUSTED");
ABSL_FLAG(int, context, 1 << 20, "context length of the card");
ABSL_FLAG(int, default_interval_us, 0,
          "between tokens when the request's seed is above 10,000,000");
ABSL_FLAG(std::string, refuse, "", "every request ends with this code, e.g. UNAVAILABLE");
ABSL_FLAG(bool, hang, false, "requests are taken and never answered");
ABSL_FLAG(int, die_after, -1,
          "tokens of one request after which the process exits with code 42; -1: never");

namespace switchboard::doubles {
namespace {

constexpr char kUsage[] =
    R"(A worker without a model. Every answer has exactly max_tokens tokens per choice, one each SEED microseconds
(seed 0: as fast as they can be sent). A token decodes to "@" and five digits: the time at which it was sent, in steps
of 10 microseconds within the second of the wall clock.

Words in the prompt make one request go wrong; N counts tokens of a choice:
  [[refuse CODE]]    ends with CODE instead of being accepted
  [[hang]]           is taken and never answered
  [[hang-after N]]   falls silent
  [[break-after N]]  ends with UNAVAILABLE
  [[fail-after N]]   ends with INTERNAL
  [[gap-after N]]    leaves out one position
  [[die-after N]]    the process exits at once with code 42

SIGTERM stops it; running answers have 10 s to end.)";

absl::StatusOr<DoubleOptions> OptionsFromFlags() {
  DoubleOptions options;
  auto listen = rpc::ParseListenAddress(absl::GetFlag(FLAGS_listen));
  if (!listen.ok()) return listen.status();
  options.listen = *std::move(listen);
  options.models = absl::StrSplit(absl::GetFlag(FLAGS_models), ',', absl::SkipEmpty());
  if (options.models.empty()) return absl::InvalidArgumentError("--models: no name");
  options.name = absl::GetFlag(FLAGS_name);
  options.fingerprint = absl::GetFlag(FLAGS_fingerprint);
  options.max_running = absl::GetFlag(FLAGS_max_running);
  options.max_waiting = absl::GetFlag(FLAGS_max_waiting);
  options.context = absl::GetFlag(FLAGS_context);
  options.default_interval = absl::Microseconds(absl::GetFlag(FLAGS_default_interval_us));
  if (const std::string code = absl::GetFlag(FLAGS_refuse); !code.empty()) {
    options.faults.refuse = CodeByName(code);
    if (!options.faults.refuse.has_value()) {
      return absl::InvalidArgumentError("--refuse: no status code of this name: " + code);
    }
  }
  options.faults.hang = absl::GetFlag(FLAGS_hang);
  if (const int tokens = absl::GetFlag(FLAGS_die_after); tokens >= 0)
    options.faults.die_after = tokens;
  return options;
}

int Main(int argc, char** argv) {
  BlockStopSignals();
  for (int i = 1; i < argc; ++i) {
    // Before the list of flags, which ParseCommandLine prints.
    if (absl::string_view(argv[i]) == "--help") std::cout << kUsage << "\n";
  }
  ParseCommandLine(argc, argv);
  SetUpLogging("worker-double", LogFormat::kText, LogSeverity::kInfo);
  rpc::RouteGrpcLog();
  auto options = OptionsFromFlags();
  auto worker = options.ok() ? DoubleWorker::Start(*std::move(options)) : options.status();
  if (!worker.ok()) {
    LOG(ERROR) << worker.status().message();
    return 1;
  }
  LOG(INFO) << "worker-double ready on " << (*worker)->address().ToString();
  WaitForStopSignal();
  (*worker)->SetDraining(true);
  (*worker)->Stop(absl::Seconds(10));
  return 0;
}

}  // namespace
}  // namespace switchboard::doubles

int main(int argc, char** argv) { return switchboard::doubles::Main(argc, argv); }
