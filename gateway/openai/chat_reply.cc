// A chat answer as one JSON object.
#include <utility>

#include "gateway/openai/choice_collector.h"
#include "gateway/openai/reply_format.h"

namespace switchboard::openai {
namespace {

class ChatReply final : public ReplyFormat {
 public:
  ChatReply(ReplyIdentity identity, ReplyOptions options)
      : identity_(std::move(identity)),
        options_(std::move(options)),
        collector_(options_.choices) {}

  std::string Begin(const Usage&) override { return ""; }

  std::string Add(const ReplyDelta& delta, const Usage&) override {
    collector_.Add(delta);
    return "";
  }

  std::string Finish(const ReplyEnding& ending, const Usage&) override {
    collector_.Finish(ending);
    return "";
  }

  std::string End(const Usage& usage) override {
    JsonArray choices;
    for (const CollectedChoice& choice : collector_.choices()) {
      JsonObject message{{"role", "assistant"}, {"content", choice.content}, {"refusal", nullptr}};
      if (!choice.reasoning.empty()) {
        message["reasoning_content"] = choice.reasoning;
        message["reasoning"] = choice.reasoning;
      }
      JsonObject object{{"index", static_cast<int64_t>(choices.size())},
                        {"message", std::move(message)},
                        {"logprobs", options_.logprobs ? ChatLogprobs(choice.logprobs) : Json()},
                        {"finish_reason", choice.finish_reason},
                        {"stop_reason", choice.stop_reason}};
      if (options_.token_ids) object["token_ids"] = TokenIdsJson(choice.token_ids);
      choices.push_back(std::move(object));
    }
    JsonObject reply = WholeReply("chat.completion", identity_, std::move(choices), usage);
    if (options_.token_ids) reply["prompt_token_ids"] = TokenIdsJson(options_.prompt_ids);
    return SerializeJson(reply);
  }

 private:
  const ReplyIdentity identity_;
  const ReplyOptions options_;
  ChoiceCollector collector_;
};

}  // namespace

std::unique_ptr<ReplyFormat> MakeChatReply(ReplyIdentity identity, ReplyOptions options) {
  return std::make_unique<ChatReply>(std::move(identity), std::move(options));
}

}  // namespace switchboard::openai
