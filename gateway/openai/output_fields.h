// How the answer is to look: fields of a request that concern text and form, not the choice of
// tokens.
#ifndef SWITCHBOARD_GATEWAY_OPENAI_OUTPUT_FIELDS_H_
#define SWITCHBOARD_GATEWAY_OPENAI_OUTPUT_FIELDS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "gateway/openai/object_reader.h"

namespace switchboard::openai {

inline constexpr size_t kMaxStops = 16;
inline constexpr size_t kMaxStopBytes = 16384;

struct OutputFields {
  bool stream = false;
  bool include_usage = false;     // a usage chunk at the end of a stream
  bool continuous_usage = false;  // running usage on every chunk
  std::vector<std::string> stop;  // none empty
  bool include_stop = false;      // the matched stop string stays in the text
  bool skip_special_tokens = true;
  bool tokens_as_ids = false;     // `token` of a logprob entry is "token_id:NNN"
  bool return_token_ids = false;  // prompt_token_ids and token_ids beside the texts
  std::string request_id;         // becomes the id of the response; empty: none given
  // Keep this many prompt tokens at most; -1: as many as the context has. From the end, unless
  // truncate_right (which drops the end).
  std::optional<int64_t> truncate_prompt_tokens;
  bool truncate_right = false;
};

// Where thoughts go.
enum class ReasoningOutput {
  kModelDefault,
  kInline,  // stay in content as the model writes them
  kSplit,   // to reasoning_content
  kDrop     // nowhere
};

// Reads the fields that chat and completions share.
absl::StatusOr<OutputFields> ReadOutput(ObjectReader* body);

// return_reasoning and the names that other servers have for it.
absl::StatusOr<ReasoningOutput> ReadReasoningOutput(ObjectReader* body);

// Checks the types of fields that are accepted and change nothing: user, metadata, store, ...
absl::Status CheckHarmless(ObjectReader* body);

}  // namespace switchboard::openai

#endif  // SWITCHBOARD_GATEWAY_OPENAI_OUTPUT_FIELDS_H_
