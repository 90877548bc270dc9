// A chat answer as server-sent events: per choice a role chunk, then deltas, then a finish chunk
// with an empty delta. Only keys that carry something go into a delta.
#include <utility>

#include "gateway/openai/reply_format.h"
#include "gateway/openai/stream_chunk.h"

namespace switchboard::openai {
namespace {

class ChatStream final : public ReplyFormat {
 public:
  ChatStream(ReplyIdentity identity, ReplyOptions options)
      : options_(std::move(options)),
        chunks_("chat.completion.chunk", std::move(identity), options_) {}

  // All roles first and in order: clients' accumulators index their lists by the choice.
  std::string Begin(const Usage& usage) override {
    std::string out;
    for (int i = 0; i < options_.choices; ++i) {
      JsonObject more;
      if (i == 0 && options_.token_ids) {
        more["prompt_token_ids"] = TokenIdsJson(options_.prompt_ids);
      }
      JsonObject delta{{"role", "assistant"}, {"content", ""}};
      out += chunks_.Choice(Object(i, std::move(delta), nullptr, {}), usage, more);
    }
    return out;
  }

  std::string Add(const ReplyDelta& delta, const Usage& usage) override {
    JsonObject object;
    // Clients read one name or the other.
    if (!delta.reasoning.empty()) {
      object["reasoning_content"] = delta.reasoning;
      object["reasoning"] = delta.reasoning;
    }
    if (!delta.content.empty()) object["content"] = delta.content;
    return chunks_.Choice(
        Object(delta.choice, std::move(object), Logprobs(delta.logprobs), delta.token_ids), usage);
  }

  std::string Finish(const ReplyEnding& ending, const Usage& usage) override {
    const Json logprobs = ending.logprobs.empty() ? Json() : Logprobs(ending.logprobs);
    JsonObject choice = Object(ending.choice, JsonObject(), logprobs, ending.token_ids);
    choice["finish_reason"] = ToBoost(ending.finish_reason);
    choice["stop_reason"] = ending.stop_reason;
    return chunks_.Choice(std::move(choice), usage);
  }

  std::string End(const Usage& usage) override { return chunks_.End(usage); }

 private:
  Json Logprobs(const std::vector<LogprobEntry>& entries) const {
    return options_.logprobs ? ChatLogprobs(entries) : Json();
  }

  JsonObject Object(int index, JsonObject delta, Json logprobs,
                    const std::vector<int32_t>& token_ids) const {
    JsonObject choice{{"index", index},
                      {"delta", std::move(delta)},
                      {"logprobs", std::move(logprobs)},
                      {"finish_reason", nullptr}};
    if (options_.token_ids) choice["token_ids"] = TokenIdsJson(token_ids);
    return choice;
  }

  const ReplyOptions options_;
  const ChunkMaker chunks_;
};

}  // namespace

std::unique_ptr<ReplyFormat> MakeChatStream(ReplyIdentity identity, ReplyOptions options) {
  return std::make_unique<ChatStream>(std::move(identity), std::move(options));
}

}  // namespace switchboard::openai
