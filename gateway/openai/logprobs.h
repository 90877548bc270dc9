// Log-probabilities in the two shapes of the API: an entry for every token that was generated and
// not taken away by a stop string. What the entries' bytes make together is the text of the answer
// (reasoning included). A special token that the text leaves out, an end token that was ignored for
// one, has an entry too, under its name but without bytes: it is what joined tokens skip.
#ifndef SWITCHBOARD_GATEWAY_OPENAI_LOGPROBS_H_
#define SWITCHBOARD_GATEWAY_OPENAI_LOGPROBS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "base/json.h"

namespace switchboard::openai {

struct TokenLogprob {
  // As shown: the token's text with U+FFFD for what is not UTF-8, or "token_id:NNN". Valid UTF-8.
  std::string token;
  // What the token adds to the text; nothing for one that the text leaves out.
  std::optional<std::string> bytes;
  float logprob = 0;  // natural logarithm; minus infinity is allowed
};

struct LogprobEntry {
  TokenLogprob chosen;
  std::vector<TokenLogprob> top;  // best first
};

// Chat: {"content": [{token, logprob, bytes, top_logprobs}], "refusal": null}; `bytes` is null for
// a token that the text leaves out. Values below -9999
// and minus infinity become -9999.
Json ChatLogprobs(absl::Span<const LogprobEntry> entries);

// Completions: parallel arrays whose text_offset goes on from call to call. One per choice; not
// thread-safe.
class CompletionLogprobs {
 public:
  // {"tokens", "token_logprobs", "top_logprobs", "text_offset"} of these entries. Offsets count
  // code points. A chosen token that is not among its alternatives is added to them.
  JsonObject Next(absl::Span<const LogprobEntry> entries);

 private:
  int64_t offset_ = 0;
};

}  // namespace switchboard::openai

#endif  // SWITCHBOARD_GATEWAY_OPENAI_LOGPROBS_H_
