#include "gateway/openai/choice_collector.h"

#include <utility>

#include "base/check.h"

namespace switchboard::openai {
namespace {

void Append(const std::vector<LogprobEntry>& entries, const std::vector<int32_t>& ids,
            CollectedChoice* choice) {
  choice->logprobs.insert(choice->logprobs.end(), entries.begin(), entries.end());
  choice->token_ids.insert(choice->token_ids.end(), ids.begin(), ids.end());
}

}  // namespace

void ChoiceCollector::Add(const ReplyDelta& delta) {
  CollectedChoice& choice = At(delta.choice);
  choice.reasoning += delta.reasoning;
  choice.content += delta.content;
  Append(delta.logprobs, delta.token_ids, &choice);
}

void ChoiceCollector::Finish(const ReplyEnding& ending) {
  CollectedChoice& choice = At(ending.choice);
  choice.finish_reason = std::string(ending.finish_reason);
  choice.stop_reason = ending.stop_reason;
  Append(ending.logprobs, ending.token_ids, &choice);
}

CollectedChoice& ChoiceCollector::At(int index) {
  CHECK(index >= 0 && static_cast<size_t>(index) < choices_.size());
  return choices_[index];
}

JsonObject WholeReply(absl::string_view object, const ReplyIdentity& identity, JsonArray choices,
                      const Usage& usage) {
  return {{"id", identity.id},
          {"object", ToBoost(object)},
          {"created", identity.created},
          {"model", identity.model},
          {"system_fingerprint", identity.system_fingerprint},
          {"choices", std::move(choices)},
          {"usage", UsageJson(usage)}};
}

}  // namespace switchboard::openai
