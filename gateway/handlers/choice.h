// One choice of an answer: token ids in, texts and log-probabilities for the client out.
#ifndef SWITCHBOARD_GATEWAY_HANDLERS_CHOICE_H_
#define SWITCHBOARD_GATEWAY_HANDLERS_CHOICE_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "gateway/models/generation.h"
#include "gateway/models/model.h"
#include "gateway/openai/reply_format.h"
#include "text/answer/answer_builder.h"

namespace switchboard::gateway {

// What the request says about the text of its choices.
struct ChoiceOptions {
  text::AnswerOptions answer;
  bool logprobs = false;
  int top_logprobs = 0;
  bool tokens_as_ids = false;
  bool token_ids = false;  // hand out the ids beside the texts
};

// Called with every piece of text as it becomes known; counts of the choice include it already.
using DeltaSink = absl::FunctionRef<void(const openai::ReplyDelta& delta)>;

// Not thread-safe.
class Choice {
 public:
  // `model` and `options` must outlive the choice.
  Choice(int index, const Model* model, const ChoiceOptions* options);

  // Takes tokens and hands out a delta for each that made text. Internal when they do not join what
  // came before. After a stop string: ignored.
  absl::Status Add(const Tokens& tokens, DeltaSink sink);

  // The worker says that the choice is over. Hands out what was held back. Internal when it was
  // over already. After a stop string: nothing.
  absl::Status Finish(const Finished& finished, DeltaSink sink);

  // How it ended, once it has: a stop string or Finish(). Given once.
  std::optional<openai::ReplyEnding> TakeEnding();
  // Finish() was called: the worker has said its last word about it.
  bool finished() const { return finished_; }

  // Those that count in usage: generated, the one that ended the choice included.
  int64_t completion_tokens() const { return completion_tokens_; }
  int64_t reasoning_tokens() const { return builder_.reasoning_tokens(); }

 private:
  // An entry whose text has not been shown yet, and where that begins in the text of all tokens.
  struct Pending {
    openai::LogprobEntry entry;
    size_t begin;
  };

  void AddToken(int32_t id, const TokenLogprobs* logprobs, DeltaSink sink);
  void AddLogprobs(int32_t id, const TokenLogprobs& logprobs);
  openai::TokenLogprob Describe(int32_t id, float logprob, bool chosen) const;
  void Append(text::AnswerDelta delta, DeltaSink sink);
  std::vector<openai::LogprobEntry> TakePending();

  const int index_;
  const Model& model_;
  const ChoiceOptions& options_;
  text::AnswerBuilder builder_;
  int64_t received_ = 0;  // tokens, those after a stop string too
  int64_t completion_tokens_ = 0;
  bool stopped_ = false, finished_ = false;
  std::optional<openai::ReplyEnding> ending_;
  std::vector<Pending> pending_;
  std::vector<int32_t> pending_ids_;  // that no delta has carried; only when they are shown
  size_t token_bytes_ = 0, shown_bytes_ = 0;
};

}  // namespace switchboard::gateway

#endif  // SWITCHBOARD_GATEWAY_HANDLERS_CHOICE_H_
