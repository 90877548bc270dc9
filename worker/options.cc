#include "worker/options.h"

#include <algorithm>
#include <cstdlib>

#include "absl/algorithm/container.h"
#include "absl/flags/flag.h"
#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/json.h"
#include "base/status_macros.h"
#include "base/utf8.h"
#include "worker/model_path.h"

ABSL_FLAG(std::string, listen, "127.0.0.1:50061", "where to serve: host:port or unix:/path");
ABSL_FLAG(std::string, admin_listen, "127.0.0.1:0",
          "host:port of /health and /metrics; port 0: any; empty: none");
ABSL_FLAG(std::string, admin_token_file, "",
          "file with the token that the admin listener asks for");
ABSL_FLAG(std::string, ready_file, "", "file to write once the worker serves (JSON)");
ABSL_FLAG(std::string, log_format, "text", "text or json");
ABSL_FLAG(std::string, model, "",
          "folder of a checkpoint, a .gguf file, or ORG/NAME in the local Hugging Face cache");
ABSL_FLAG(std::string, tokenizer, "", "folder with tokenizer.json; default: the model's own");
ABSL_FLAG(std::string, chat_template, "", "file with a chat template; default: the model's own");
ABSL_FLAG(std::string, served_model_name, "",
          "names for requests, comma-separated; default: the name of folder or file");
ABSL_FLAG(std::string, dtype, "auto",
          "weights in memory: auto (as they are stored), float32, bfloat16 or float16");
ABSL_FLAG(int, max_model_len, 0,
          "context in tokens, prompt and output; 0: as long as the model allows");
ABSL_FLAG(int, max_num_seqs, 32, "answers computed at once");
ABSL_FLAG(int, max_num_batched_tokens, 512, "tokens per forward pass");
ABSL_FLAG(int, max_waiting, 256, "requests that may wait; more are refused");
ABSL_FLAG(std::string, kv_cache_memory, "",
          "bytes for keys and values, such as 4GiB; default: what fits");
ABSL_FLAG(int, threads, 0, "threads for computing; 0: all cores, shared among --workers-on-host");
ABSL_FLAG(int, workers_on_host, 1, "workers that share this host's cores and memory");
ABSL_FLAG(std::string, limit_mm_per_prompt, "image=10",
          "images per request: image=N or {\"image\":N}");
ABSL_FLAG(std::string, mm_processor_kwargs, "",
          "JSON with min_pixels and max_pixels; default: as the model says");
ABSL_FLAG(std::string, chat_template_content_format, "string",
          "string or openai: how messages reach the template");
ABSL_FLAG(absl::Duration, drain_timeout, absl::Seconds(90),
          "how long running answers may go on after SIGTERM");

namespace switchboard::worker {
namespace {

absl::Status Bad(absl::string_view flag, absl::string_view value, absl::string_view wanted) {
  return absl::InvalidArgumentError(absl::StrCat("--", flag, "=", value, ": ", wanted));
}

absl::Status CheckRange(absl::string_view flag, int value, int least, int most) {
  if (value >= least && value <= most) return absl::OkStatus();
  return Bad(flag, absl::StrCat(value), absl::StrCat("give a number from ", least, " to ", most));
}

absl::Status ReadNumbers(WorkerOptions* options) {
  options->max_model_len = absl::GetFlag(FLAGS_max_model_len);
  options->max_num_seqs = absl::GetFlag(FLAGS_max_num_seqs);
  options->max_num_batched_tokens = absl::GetFlag(FLAGS_max_num_batched_tokens);
  options->max_waiting = absl::GetFlag(FLAGS_max_waiting);
  options->threads = absl::GetFlag(FLAGS_threads);
  options->workers_on_host = absl::GetFlag(FLAGS_workers_on_host);
  options->drain_timeout = absl::GetFlag(FLAGS_drain_timeout);
  // A context has room for a prompt and for an answer.
  if (options->max_model_len != 0) {
    RETURN_IF_ERROR(CheckRange("max-model-len", options->max_model_len, 2, 1 << 24));
  }
  RETURN_IF_ERROR(CheckRange("max-num-seqs", options->max_num_seqs, 1, 4096));
  RETURN_IF_ERROR(CheckRange("max-num-batched-tokens", options->max_num_batched_tokens,
                             options->max_num_seqs, 1 << 20));
  RETURN_IF_ERROR(CheckRange("max-waiting", options->max_waiting, 1, 1 << 20));
  RETURN_IF_ERROR(CheckRange("threads", options->threads, 0, 1024));
  RETURN_IF_ERROR(CheckRange("workers-on-host", options->workers_on_host, 1, 1024));
  if (options->drain_timeout < absl::ZeroDuration() || options->drain_timeout > absl::Hours(24)) {
    return Bad("drain-timeout", absl::FormatDuration(options->drain_timeout), "give 0s to 24h");
  }
  const std::string memory = absl::GetFlag(FLAGS_kv_cache_memory);
  if (!memory.empty()) {
    absl::StatusOr<int64_t> bytes = ParseBytes(memory);
    if (!bytes.ok()) return Annotate(bytes.status(), "--kv-cache-memory");
    options->kv_cache_bytes = *bytes;
  }
  absl::StatusOr<int> images = ParseImageLimit(absl::GetFlag(FLAGS_limit_mm_per_prompt));
  if (!images.ok()) return Annotate(images.status(), "--limit-mm-per-prompt");
  options->max_images = *images;
  return absl::OkStatus();
}

absl::Status ReadNames(WorkerOptions* options) {
  const std::string model = absl::GetFlag(FLAGS_model);
  if (model.empty())
    return Bad("model", "", "give a checkpoint's folder, a .gguf file or ORG/NAME");
  ASSIGN_OR_RETURN(const ModelPath found, FindModel(model, std::getenv));
  options->model = found.path;
  options->model_names = found.names;
  const std::string names = absl::GetFlag(FLAGS_served_model_name);
  for (absl::string_view name : absl::StrSplit(names, ',')) {
    name = absl::StripAsciiWhitespace(name);
    if (name.size() > 256)
      return Bad("served-model-name", name.substr(0, 32), "at most 256 characters");
    if (!IsValidUtf8(name)) return Bad("served-model-name", absl::CHexEscape(name), "not UTF-8");
    if (absl::c_linear_search(options->served_names, name)) {
      return Bad("served-model-name", names, "a name is there twice");
    }
    if (!name.empty()) options->served_names.emplace_back(name);
  }
  if (options->served_names.empty()) {
    options->served_names = found.names;
    if (found.names.empty()) {
      return Bad("model", model, "the folder has no name; give --served-model-name");
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<int64_t> ParseBytes(absl::string_view text) {
  constexpr struct {
    absl::string_view suffix;
    double factor;
  } kUnits[] = {{"KiB", 1024.0}, {"MiB", 1048576.0}, {"GiB", 1073741824.0},
                {"KB", 1e3},     {"MB", 1e6},        {"GB", 1e9},
                {"", 1.0}};
  for (const auto& [suffix, factor] : kUnits) {
    if (!absl::EndsWithIgnoreCase(text, suffix)) continue;
    double value = 0;
    const absl::string_view number =
        absl::StripAsciiWhitespace(text.substr(0, text.size() - suffix.size()));
    if (!absl::SimpleAtod(number, &value) || !(value >= 1) || value * factor > 9e18) break;
    return static_cast<int64_t>(value * factor);
  }
  return absl::InvalidArgumentError(absl::StrCat("'", text, "' is no size; write 512MiB or 4GiB"));
}

absl::StatusOr<int> ParseImageLimit(absl::string_view text) {
  int limit = -1;
  if (absl::StartsWith(text, "{")) {
    ASSIGN_OR_RETURN(const Json value, ParseJson(text));
    const Json* image = value.is_object() ? FindPresent(value.get_object(), "image") : nullptr;
    if (image != nullptr && image->is_int64() && value.get_object().size() == 1) {
      limit = static_cast<int>(std::clamp<int64_t>(image->get_int64(), -1, 1 << 20));
    }
  } else if (absl::ConsumePrefix(&text, "image=") && !absl::SimpleAtoi(text, &limit)) {
    limit = -1;
  }
  if (limit < 0 || limit > 1000) {
    return absl::InvalidArgumentError("write image=10 or {\"image\":10}, from 0 to 1000");
  }
  return limit;
}

absl::StatusOr<WorkerOptions> OptionsFromFlags() {
  WorkerOptions options;
  options.listen = absl::GetFlag(FLAGS_listen);
  options.tokenizer = absl::GetFlag(FLAGS_tokenizer);
  options.chat_template = absl::GetFlag(FLAGS_chat_template);
  options.ready_file = absl::GetFlag(FLAGS_ready_file);
  options.mm_processor_kwargs = absl::GetFlag(FLAGS_mm_processor_kwargs);
  const std::string log_format = absl::GetFlag(FLAGS_log_format);
  if (log_format != "text" && log_format != "json")
    return Bad("log-format", log_format, "give text or json");
  options.log_format = log_format == "json" ? LogFormat::kJson : LogFormat::kText;
  const std::string content = absl::GetFlag(FLAGS_chat_template_content_format);
  if (content != "string" && content != "openai") {
    return Bad("chat-template-content-format", content, "give string or openai");
  }
  options.openai_content_format = content == "openai";
  options.dtype = absl::GetFlag(FLAGS_dtype);
  if (options.dtype != "auto" && options.dtype != "float32" && options.dtype != "bfloat16" &&
      options.dtype != "float16") {
    return Bad("dtype", options.dtype, "give auto, float32, bfloat16 or float16");
  }
  RETURN_IF_ERROR(ReadNames(&options));
  RETURN_IF_ERROR(ReadNumbers(&options));
  ASSIGN_OR_RETURN(options.admin, rpc::ReadAdminListen(absl::GetFlag(FLAGS_admin_listen),
                                                       absl::GetFlag(FLAGS_admin_token_file)));
  return options;
}

}  // namespace switchboard::worker
