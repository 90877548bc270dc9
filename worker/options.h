// Every setting of a worker, with its default; filled once in main.
#ifndef SWITCHBOARD_WORKER_OPTIONS_H_
#define SWITCHBOARD_WORKER_OPTIONS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "base/log.h"
#include "rpc/admin_listen.h"

namespace switchboard::worker {

struct WorkerOptions {
  std::string listen = "127.0.0.1:50061";  // host:port or unix:/path
  rpc::AdminListen admin;
  std::string ready_file;
  LogFormat log_format = LogFormat::kText;

  std::string model;                      // checkpoint folder, or a GGUF file
  std::vector<std::string> model_names;   // of its own, see FindModel; may be empty
  std::string tokenizer;                  // folder with tokenizer.json; empty: the model's own
  std::string chat_template;              // file; empty: the model's own
  std::string dtype = "auto";             // of the weights in memory, see model::LoadOptions
  std::vector<std::string> served_names;  // never empty: model_names if nothing else was said
  int max_model_len = 0;                  // tokens; 0: as long as the model allows
  int max_num_seqs = 32;                  // choices computed at once
  int max_num_batched_tokens = 512;       // per forward pass
  int max_waiting = 256;                  // requests
  int64_t kv_cache_bytes =
      0;            // 0: what the budget leaves, at most enough for max_num_seqs full contexts
  int threads = 0;  // 0: cores / workers_on_host
  int workers_on_host = 1;
  int max_images = 10;              // per request
  std::string mm_processor_kwargs;  // JSON; empty: as the model says
  bool openai_content_format = false;
  absl::Duration drain_timeout = absl::Seconds(90);
};

// `512`, `64MiB`, `4GiB`, `1.5GB`: a number of bytes. InvalidArgument shows the forms.
absl::StatusOr<int64_t> ParseBytes(absl::string_view text);

// --limit-mm-per-prompt: `{"image":10}` or `image=10`. The number of images.
absl::StatusOr<int> ParseImageLimit(absl::string_view text);

// The options as the flags of this process say; the first bad one is named.
absl::StatusOr<WorkerOptions> OptionsFromFlags();

}  // namespace switchboard::worker

#endif  // SWITCHBOARD_WORKER_OPTIONS_H_
