#include "router/options.h"

#include "absl/flags/flag.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"

ABSL_FLAG(std::string, listen, "127.0.0.1:50051", "where to serve: host:port or unix:/path");
ABSL_FLAG(std::string, workers, "127.0.0.1:50061",
          "addresses of the workers, comma-separated: host:port or unix:/path");
ABSL_FLAG(std::string, admin_listen, "127.0.0.1:0",
          "host:port of /health and /metrics; port 0: any; empty: none");
ABSL_FLAG(std::string, admin_token_file, "",
          "file with the token that the admin listener asks for");
ABSL_FLAG(std::string, ready_file, "", "file to write once the router serves (JSON)");
ABSL_FLAG(std::string, log_format, "text", "text or json");
ABSL_FLAG(int, max_queued_requests, 1024, "requests that wait for a worker; more are refused");
ABSL_FLAG(int, max_queued_mib, 1024,
          "memory that requests may hold until their first token, in MiB");
ABSL_FLAG(absl::Duration, queue_timeout, absl::Seconds(30),
          "how long a request may wait for a worker");
ABSL_FLAG(absl::Duration, worker_hang_timeout, absl::Minutes(2),
          "a busy worker without an engine step for so long is given up; above its longest step");
ABSL_FLAG(int, max_attempts, 3, "workers that a request is tried on before its first token");
ABSL_FLAG(absl::Duration, drain_timeout, absl::Seconds(90),
          "how long running answers may go on after SIGTERM");

namespace switchboard::router {
namespace {

absl::Status CheckRange(absl::string_view flag, int value, int least, int most) {
  if (value >= least && value <= most) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("--", flag, "=", value, ": give a number from ", least, " to ", most));
}

absl::Status CheckTime(absl::string_view flag, absl::Duration value, absl::Duration least) {
  if (value >= least && value <= absl::Hours(24)) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("--", flag, "=", absl::FormatDuration(value),
                                                 ": give ", absl::FormatDuration(least),
                                                 " to 24h"));
}

absl::Status ReadCore(CoreOptions* core) {
  const int requests = absl::GetFlag(FLAGS_max_queued_requests);
  const int mib = absl::GetFlag(FLAGS_max_queued_mib);
  core->max_attempts = absl::GetFlag(FLAGS_max_attempts);
  core->queue_limit = absl::GetFlag(FLAGS_queue_timeout);
  core->hang_limit = absl::GetFlag(FLAGS_worker_hang_timeout);
  RETURN_IF_ERROR(CheckTime("worker-hang-timeout", core->hang_limit, absl::Seconds(2)));
  RETURN_IF_ERROR(CheckRange("max-queued-requests", requests, 0, 1 << 20));
  RETURN_IF_ERROR(CheckRange("max-queued-mib", mib, 1, 1 << 20));
  RETURN_IF_ERROR(CheckRange("max-attempts", core->max_attempts, 1, 100));
  RETURN_IF_ERROR(CheckTime("queue-timeout", core->queue_limit, absl::Milliseconds(1)));
  core->max_queued_requests = static_cast<size_t>(requests);
  core->max_held_bytes = static_cast<size_t>(mib) << 20;
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<ProcessOptions> OptionsFromFlags() {
  ProcessOptions options;
  const std::string log_format = absl::GetFlag(FLAGS_log_format);
  if (log_format != "text" && log_format != "json") {
    return absl::InvalidArgumentError(
        absl::StrCat("--log-format=", log_format, ": give text or json"));
  }
  options.log_format = log_format == "json" ? LogFormat::kJson : LogFormat::kText;
  options.ready_file = absl::GetFlag(FLAGS_ready_file);

  absl::StatusOr<rpc::Address> listen = rpc::ParseListenAddress(absl::GetFlag(FLAGS_listen));
  if (!listen.ok()) return Annotate(listen.status(), "--listen");
  options.listen = *std::move(listen);
  auto workers = rpc::ParseDialAddresses(absl::GetFlag(FLAGS_workers));
  if (!workers.ok()) return Annotate(workers.status(), "--workers");
  options.workers = *std::move(workers);

  options.drain_timeout = absl::GetFlag(FLAGS_drain_timeout);
  RETURN_IF_ERROR(CheckTime("drain-timeout", options.drain_timeout, absl::ZeroDuration()));
  RETURN_IF_ERROR(ReadCore(&options.core));
  ASSIGN_OR_RETURN(options.admin, rpc::ReadAdminListen(absl::GetFlag(FLAGS_admin_listen),
                                                       absl::GetFlag(FLAGS_admin_token_file)));
  return options;
}

}  // namespace switchboard::router
