// A completion as one JSON object, and as server-sent events.
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "gateway/openai/choice_collector.h"
#include "gateway/openai/reply_format.h"
#include "gateway/openai/stream_chunk.h"

namespace switchboard::openai {
namespace {

constexpr char kObject[] = "text_completion";

class CompletionReply final : public ReplyFormat {
 public:
  CompletionReply(ReplyIdentity identity, ReplyOptions options)
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
      JsonObject object{
          {"index", static_cast<int64_t>(choices.size())},
          {"text", absl::StrCat(options_.echo, choice.reasoning, choice.content)},
          {"logprobs",
           options_.logprobs ? Json(CompletionLogprobs().Next(choice.logprobs)) : Json()},
          {"finish_reason", choice.finish_reason},
          {"stop_reason", choice.stop_reason}};
      if (options_.token_ids) {
        object["prompt_token_ids"] = TokenIdsJson(options_.prompt_ids);
        object["token_ids"] = TokenIdsJson(choice.token_ids);
      }
      choices.push_back(std::move(object));
    }
    return SerializeJson(WholeReply(kObject, identity_, std::move(choices), usage));
  }

 private:
  const ReplyIdentity identity_;
  const ReplyOptions options_;
  ChoiceCollector collector_;
};

class CompletionStream final : public ReplyFormat {
 public:
  CompletionStream(ReplyIdentity identity, ReplyOptions options)
      : options_(std::move(options)),
        chunks_(kObject, std::move(identity), options_),
        logprobs_(options_.choices),
        started_(options_.choices) {}

  std::string Begin(const Usage& usage) override {
    std::string out;
    if (options_.echo.empty()) return out;
    for (int i = 0; i < options_.choices; ++i) {
      out += Chunk(i, options_.echo, {}, {}, nullptr, usage);
    }
    return out;
  }

  std::string Add(const ReplyDelta& delta, const Usage& usage) override {
    return Chunk(delta.choice, absl::StrCat(delta.reasoning, delta.content), delta.logprobs,
                 delta.token_ids, nullptr, usage);
  }

  std::string Finish(const ReplyEnding& ending, const Usage& usage) override {
    return Chunk(ending.choice, "", ending.logprobs, ending.token_ids, &ending, usage);
  }

  std::string End(const Usage& usage) override { return chunks_.End(usage); }

 private:
  std::string Chunk(int index, const std::string& text, const std::vector<LogprobEntry>& entries,
                    const std::vector<int32_t>& token_ids, const ReplyEnding* ending,
                    const Usage& usage) {
    CHECK(index >= 0 && static_cast<size_t>(index) < logprobs_.size());
    const bool shows_logprobs = options_.logprobs && !entries.empty();
    JsonObject choice{{"index", index},
                      {"text", text},
                      {"logprobs", shows_logprobs ? Json(logprobs_[index].Next(entries)) : Json()},
                      {"finish_reason", nullptr}};
    if (options_.token_ids) {
      if (!started_[index]) choice["prompt_token_ids"] = TokenIdsJson(options_.prompt_ids);
      choice["token_ids"] = TokenIdsJson(token_ids);
    }
    started_[index] = true;
    if (ending != nullptr) {
      choice["finish_reason"] = ToBoost(ending->finish_reason);
      choice["stop_reason"] = ending->stop_reason;
    }
    return chunks_.Choice(std::move(choice), usage);
  }

  const ReplyOptions options_;
  const ChunkMaker chunks_;
  std::vector<CompletionLogprobs> logprobs_;  // by choice
  std::vector<bool> started_;                 // by choice: a chunk of it has been made
};

}  // namespace

std::unique_ptr<ReplyFormat> MakeCompletionReply(ReplyIdentity identity, ReplyOptions options) {
  return std::make_unique<CompletionReply>(std::move(identity), std::move(options));
}

std::unique_ptr<ReplyFormat> MakeCompletionStream(ReplyIdentity identity, ReplyOptions options) {
  return std::make_unique<CompletionStream>(std::move(identity), std::move(options));
}

}  // namespace switchboard::openai
