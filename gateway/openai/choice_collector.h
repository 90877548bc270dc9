// What a whole reply, chat or completion, gathers until its end.
#ifndef SWITCHBOARD_GATEWAY_OPENAI_CHOICE_COLLECTOR_H_
#define SWITCHBOARD_GATEWAY_OPENAI_CHOICE_COLLECTOR_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "base/json.h"
#include "gateway/openai/reply_format.h"

namespace switchboard::openai {

struct CollectedChoice {
  std::string reasoning, content, finish_reason;
  Json stop_reason;
  std::vector<LogprobEntry> logprobs;
  std::vector<int32_t> token_ids;
};

// Not thread-safe. REQUIRES: the choices of deltas and endings are among the `choices`.
class ChoiceCollector {
 public:
  explicit ChoiceCollector(int choices) : choices_(choices) {}

  void Add(const ReplyDelta& delta);
  void Finish(const ReplyEnding& ending);
  const std::vector<CollectedChoice>& choices() const { return choices_; }

 private:
  CollectedChoice& At(int index);

  std::vector<CollectedChoice> choices_;
};

// The reply around its choices. `object` is its type, e.g. "chat.completion".
JsonObject WholeReply(absl::string_view object, const ReplyIdentity& identity, JsonArray choices,
                      const Usage& usage);

}  // namespace switchboard::openai

#endif  // SWITCHBOARD_GATEWAY_OPENAI_CHOICE_COLLECTOR_H_
