// What a generation is turned into for the client. There are four forms: chat and completion, each
// whole or as a stream; one object per reply makes its body from what happens, in order.
#ifndef SWITCHBOARD_GATEWAY_OPENAI_REPLY_FORMAT_H_
#define SWITCHBOARD_GATEWAY_OPENAI_REPLY_FORMAT_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "base/json.h"
#include "gateway/openai/logprobs.h"

namespace switchboard::openai {

// What is the same in every part of a reply.
struct ReplyIdentity {
  // The client's own request_id as it is; else a prefix and the id of the HTTP request, which is
  // drawn at random unless the client chose it (X-Request-Id). So two replies have the same id only
  // if a client gave the same one twice; nothing here is kept under an id.
  std::string id;
  int64_t created = 0;  // Unix seconds
  std::string model;    // the name that the client asked for
  std::string system_fingerprint;
};

struct Usage {
  int64_t prompt_tokens = 0;
  int64_t completion_tokens = 0;  // of all choices
  int64_t cached_tokens = 0;      // of the prompt
  int64_t reasoning_tokens = 0;   // of the completion
};
JsonObject UsageJson(const Usage& usage);

JsonArray TokenIdsJson(const std::vector<int32_t>& ids);

// What the client asked for about the form.
struct ReplyOptions {
  int choices = 1;
  bool logprobs = false;
  bool include_usage = false;
  bool continuous_usage = false;
  bool token_ids = false;           // show the ids of the prompt and of every choice
  std::vector<int32_t> prompt_ids;  // for token_ids
  std::string echo;                 // completions: goes in front of every choice's text
};

// New text of one choice; at least one of the texts is not empty. All strings are valid UTF-8.
struct ReplyDelta {
  int choice = 0;
  std::string reasoning, content;
  // Of the tokens that made this text and of those before it that made none.
  std::vector<LogprobEntry> logprobs;
  std::vector<int32_t> token_ids;  // the same tokens; only when they are shown
};

// The end of one choice.
struct ReplyEnding {
  int choice = 0;
  absl::string_view finish_reason;     // "stop" or "length"
  Json stop_reason;                    // the stop string or token id that was matched, or null
  std::vector<LogprobEntry> logprobs;  // that no delta carried
  std::vector<int32_t> token_ids;      // likewise, and the token that ended the choice
};

// Not thread-safe. Every call returns the bytes to send now, for a whole reply none before End().
// Usage is the state after the call; it is looked at only where the form shows it.
class ReplyFormat {
 public:
  virtual ~ReplyFormat() = default;
  // Once, before anything else.
  virtual std::string Begin(const Usage& usage) = 0;
  virtual std::string Add(const ReplyDelta& delta, const Usage& usage) = 0;
  // Once per choice, the last that is said about it.
  virtual std::string Finish(const ReplyEnding& ending, const Usage& usage) = 0;
  // After all choices.
  virtual std::string End(const Usage& usage) = 0;
};

std::unique_ptr<ReplyFormat> MakeChatReply(ReplyIdentity identity, ReplyOptions options);
std::unique_ptr<ReplyFormat> MakeChatStream(ReplyIdentity identity, ReplyOptions options);
std::unique_ptr<ReplyFormat> MakeCompletionReply(ReplyIdentity identity, ReplyOptions options);
std::unique_ptr<ReplyFormat> MakeCompletionStream(ReplyIdentity identity, ReplyOptions options);

// One server-sent event, and the one that ends a stream.
std::string SseEvent(absl::string_view json);
inline constexpr char kSseDone[] = "data: [DONE]\n\n";

// `system_fingerprint` of a model: the letter b and 8 hexadecimal digits that change with the build
// and with the model's own fingerprint.
std::string SystemFingerprint(absl::string_view model_fingerprint);

}  // namespace switchboard::openai

#endif  // SWITCHBOARD_GATEWAY_OPENAI_REPLY_FORMAT_H_
