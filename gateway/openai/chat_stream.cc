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
      out += Chunk(i, {{"role", "assistant"}, {"content", ""}}, nullptr, nullptr, usage);
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
    return Chunk(delta.choice, std::move(object), Logprobs(delta.logprobs), nullptr, usage);
  }

  std::string Finish(const ReplyEnding& ending, const Usage& usage) override {
    const Json logprobs = ending.logprobs.empty() ? Json() : Logprobs(ending.logprobs);
    return Chunk(ending.choice, JsonObject(), logprobs, &ending, usage);
  }

  std::string End(const Usage& usage) override { return chunks_.End(usage); }

 private:
  Json Logprobs(const std::vector<LogprobEntry>& entries) const {
    return options_.logprobs ? ChatLogprobs(entries) : Json();
  }

  std::string Chunk(int index, JsonObject delta, Json logprobs, const ReplyEnding* ending,
                    const Usage& usage) const {
    JsonObject choice{{"index", index},
                      {"delta", std::move(delta)},
                      {"logprobs", std::move(logprobs)},
                      {"finish_reason", nullptr}};
    if (ending != nullptr) {
      choice["finish_reason"] = ToBoost(ending->finish_reason);
      choice["stop_reason"] = ending->stop_reason;
    }
    return chunks_.Choice(std::move(choice), usage);
  }

  const ReplyOptions options_;
  const ChunkMaker chunks_;
};

}  // namespace

std::unique_ptr<ReplyFormat> MakeChatStream(ReplyIdentity identity, ReplyOptions options) {
  return std::make_unique<ChatStream>(std::move(identity), std::move(options));
}

}  // namespace switchboard::openai
