// A chat answer as one JSON object.
#include <utility>

#include "base/check.h"
#include "gateway/openai/reply_format.h"

namespace switchboard::openai {
namespace {

class ChatReply final : public ReplyFormat {
 public:
  ChatReply(ReplyIdentity identity, ReplyOptions options)
      : identity_(std::move(identity)), options_(std::move(options)), choices_(options_.choices) {}

  std::string Begin(const Usage&) override { return ""; }

  std::string Add(const ReplyDelta& delta, const Usage&) override {
    Choice& choice = At(delta.choice);
    choice.reasoning += delta.reasoning;
    choice.content += delta.content;
    Append(delta.logprobs, delta.token_ids, &choice);
    return "";
  }

  std::string Finish(const ReplyEnding& ending, const Usage&) override {
    Choice& choice = At(ending.choice);
    choice.finish_reason = std::string(ending.finish_reason);
    choice.stop_reason = ending.stop_reason;
    Append(ending.logprobs, ending.token_ids, &choice);
    return "";
  }

  std::string End(const Usage& usage) override {
    JsonArray choices;
    for (size_t i = 0; i < choices_.size(); ++i) {
      const Choice& choice = choices_[i];
      JsonObject message{{"role", "assistant"}, {"content", choice.content}, {"refusal", nullptr}};
      if (!choice.reasoning.empty()) {
        message["reasoning_content"] = choice.reasoning;
        message["reasoning"] = choice.reasoning;
      }
      JsonObject object{{"index", static_cast<int64_t>(i)},
                        {"message", std::move(message)},
                        {"logprobs", options_.logprobs ? ChatLogprobs(choice.logprobs) : Json()},
                        {"finish_reason", choice.finish_reason},
                        {"stop_reason", choice.stop_reason}};
      if (options_.token_ids) object["token_ids"] = TokenIdsJson(choice.token_ids);
      choices.push_back(std::move(object));
    }
    JsonObject reply{{"id", identity_.id},
                     {"object", "chat.completion"},
                     {"created", identity_.created},
                     {"model", identity_.model},
                     {"system_fingerprint", identity_.system_fingerprint},
                     {"choices", std::move(choices)},
                     {"usage", UsageJson(usage)}};
    if (options_.token_ids) reply["prompt_token_ids"] = TokenIdsJson(options_.prompt_ids);
    return SerializeJson(reply);
  }

 private:
  struct Choice {
    std::string reasoning, content, finish_reason;
    Json stop_reason;
    std::vector<LogprobEntry> logprobs;
    std::vector<int32_t> token_ids;
  };

  Choice& At(int index) {
    CHECK(index >= 0 && static_cast<size_t>(index) < choices_.size());
    return choices_[index];
  }

  static void Append(const std::vector<LogprobEntry>& entries, const std::vector<int32_t>& ids,
                     Choice* choice) {
    choice->logprobs.insert(choice->logprobs.end(), entries.begin(), entries.end());
    choice->token_ids.insert(choice->token_ids.end(), ids.begin(), ids.end());
  }

  const ReplyIdentity identity_;
  const ReplyOptions options_;
  std::vector<Choice> choices_;
};

}  // namespace

std::unique_ptr<ReplyFormat> MakeChatReply(ReplyIdentity identity, ReplyOptions options) {
  return std::make_unique<ChatReply>(std::move(identity), std::move(options));
}

}  // namespace switchboard::openai
