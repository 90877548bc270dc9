// A completion as one JSON object, and as server-sent events.
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "gateway/openai/reply_format.h"
#include "gateway/openai/stream_chunk.h"

namespace switchboard::openai {
namespace {

constexpr char kObject[] = "text_completion";

class CompletionReply final : public ReplyFormat {
 public:
  CompletionReply(ReplyIdentity identity, ReplyOptions options)
      : identity_(std::move(identity)), options_(std::move(options)), choices_(options_.choices) {}

  std::string Begin(const Usage&) override {
    for (Choice& choice : choices_) choice.text = options_.echo;
    return "";
  }

  std::string Add(const ReplyDelta& delta, const Usage&) override {
    Choice& choice = At(delta.choice);
    absl::StrAppend(&choice.text, delta.reasoning, delta.content);
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
      JsonObject object{
          {"index", static_cast<int64_t>(i)},
          {"text", choice.text},
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
    return SerializeJson(JsonObject{{"id", identity_.id},
                                    {"object", kObject},
                                    {"created", identity_.created},
                                    {"model", identity_.model},
                                    {"system_fingerprint", identity_.system_fingerprint},
                                    {"choices", std::move(choices)},
                                    {"usage", UsageJson(usage)}});
  }

 private:
  struct Choice {
    std::string text, finish_reason;
    Json stop_reason;
    std::vector<LogprobEntry> logprobs;
    std::vector<int32_t> token_ids;
  };

  static void Append(const std::vector<LogprobEntry>& entries, const std::vector<int32_t>& ids,
                     Choice* choice) {
    choice->logprobs.insert(choice->logprobs.end(), entries.begin(), entries.end());
    choice->token_ids.insert(choice->token_ids.end(), ids.begin(), ids.end());
  }

  Choice& At(int index) {
    CHECK(index >= 0 && static_cast<size_t>(index) < choices_.size());
    return choices_[index];
  }

  const ReplyIdentity identity_;
  const ReplyOptions options_;
  std::vector<Choice> choices_;
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
