#include "gateway/options.h"

#include "absl/flags/flag.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "base/mapped_file.h"
#include "base/status_macros.h"

ABSL_FLAG(std::string, host, "127.0.0.1", "address to serve the API on");
ABSL_FLAG(int, port, 8000, "port of the API; 0: any free one");
ABSL_FLAG(std::string, ready_file, "", "file to write once the gateway serves (JSON)");
ABSL_FLAG(std::string, router, "127.0.0.1:50051",
          "routers, comma-separated: host:port or unix:/path");
ABSL_FLAG(std::string, admin_listen, "127.0.0.1:0",
          "host:port of /health and /metrics, port 0 takes a free one; empty: none");
ABSL_FLAG(std::string, admin_token_file, "",
          "file with the token that the admin listener asks for");
ABSL_FLAG(std::string, api_key_file, "",
          "file with the API keys that open the door, one a line; empty: no key is needed");
ABSL_FLAG(std::string, cors, "localhost",
          "which web pages may call: off, localhost, * or a list of origins");
ABSL_FLAG(std::string, log_format, "text", "text or json");
ABSL_FLAG(int, threads, 0, "threads for HTTP; 0: by the number of cores");
ABSL_FLAG(absl::Duration, request_timeout, absl::Seconds(600),
          "from a request to the end of its answer");
ABSL_FLAG(absl::Duration, drain_timeout, absl::Seconds(90),
          "how long running answers may go on after SIGTERM");

namespace switchboard::gateway {
namespace {

constexpr size_t kMaxKeyFile = 1 << 20;
absl::Status Bad(absl::string_view flag, absl::string_view value, absl::string_view wanted) {
  return absl::InvalidArgumentError(absl::StrCat("--", flag, "=", value, ": ", wanted));
}

absl::Status CheckRange(absl::string_view flag, int value, int least, int most) {
  if (value >= least && value <= most) return absl::OkStatus();
  return Bad(flag, absl::StrCat(value), absl::StrCat("give a number from ", least, " to ", most));
}

absl::Status CheckDuration(absl::string_view flag, absl::Duration value, absl::Duration least) {
  if (value >= least && value <= absl::Hours(24)) return absl::OkStatus();
  return Bad(flag, absl::FormatDuration(value),
             absl::StrCat("give ", absl::FormatDuration(least), " to 24h"));
}

absl::Status ReadSecrets(GatewayOptions* options) {
  if (const std::string file = absl::GetFlag(FLAGS_api_key_file); !file.empty()) {
    ASSIGN_OR_RETURN(const std::string text, ReadFile(file, kMaxKeyFile));
    absl::StatusOr<ApiKeys> keys = ApiKeys::Parse(text);
    if (!keys.ok()) return Annotate(keys.status(), absl::StrCat("--api-key-file=", file));
    options->api_keys = *std::move(keys);
  }
  return absl::OkStatus();
}

absl::Status ReadAddresses(GatewayOptions* options) {
  options->host = absl::GetFlag(FLAGS_host);
  if (options->host.empty()) {
    return Bad("host", "", "give an address, 127.0.0.1 or, for every address, 0.0.0.0");
  }
  options->port = absl::GetFlag(FLAGS_port);
  RETURN_IF_ERROR(CheckRange("port", options->port, 0, 65535));
  absl::StatusOr<std::vector<rpc::Address>> routers =
      rpc::ParseDialAddresses(absl::GetFlag(FLAGS_router));
  if (!routers.ok()) return Annotate(routers.status(), "--router");
  options->routers = *std::move(routers);
  ASSIGN_OR_RETURN(options->admin, rpc::ReadAdminListen(absl::GetFlag(FLAGS_admin_listen),
                                                        absl::GetFlag(FLAGS_admin_token_file)));
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<GatewayOptions> OptionsFromFlags() {
  GatewayOptions options;
  RETURN_IF_ERROR(ReadAddresses(&options));
  RETURN_IF_ERROR(ReadSecrets(&options));
  options.ready_file = absl::GetFlag(FLAGS_ready_file);
  absl::StatusOr<http::CorsPolicy> cors = http::CorsPolicy::Parse(absl::GetFlag(FLAGS_cors));
  if (!cors.ok()) return Annotate(cors.status(), "--cors");
  options.cors = *std::move(cors);
  const std::string log_format = absl::GetFlag(FLAGS_log_format);
  if (log_format != "text" && log_format != "json") {
    return Bad("log-format", log_format, "give text or json");
  }
  options.log_format = log_format == "json" ? LogFormat::kJson : LogFormat::kText;
  options.threads = absl::GetFlag(FLAGS_threads);
  RETURN_IF_ERROR(CheckRange("threads", options.threads, 0, 256));
  options.request_timeout = absl::GetFlag(FLAGS_request_timeout);
  RETURN_IF_ERROR(CheckDuration("request-timeout", options.request_timeout, absl::Seconds(1)));
  options.drain_timeout = absl::GetFlag(FLAGS_drain_timeout);
  RETURN_IF_ERROR(CheckDuration("drain-timeout", options.drain_timeout, absl::ZeroDuration()));
  return options;
}

}  // namespace switchboard::gateway
