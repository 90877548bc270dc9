#include "gateway/handlers/choice.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/utf8.h"

namespace switchboard::gateway {

Choice::Choice(int index, const Model* model, const ChoiceOptions* options)
    : index_(index),
      model_(*model),
      options_(*options),
      builder_(&model->tokenizer(), options->answer) {}

absl::Status Choice::Add(const Tokens& tokens, DeltaSink sink) {
  if (finished_) return absl::InternalError("tokens after the end of their choice");
  if (tokens.position != received_) {
    return absl::InternalError(
        absl::StrCat("token ", tokens.position, " came where ", received_, " was next"));
  }
  if (options_.logprobs && tokens.logprobs.size() != tokens.ids.size()) {
    return absl::InternalError("tokens without their log-probabilities");
  }
  received_ += static_cast<int64_t>(tokens.ids.size());
  for (size_t i = 0; i < tokens.ids.size() && !stopped_; ++i) {
    AddToken(tokens.ids[i], options_.logprobs ? &tokens.logprobs[i] : nullptr, sink);
  }
  return absl::OkStatus();
}

void Choice::AddToken(int32_t id, const TokenLogprobs* logprobs, DeltaSink sink) {
  if (logprobs != nullptr) AddLogprobs(id, *logprobs);
  if (options_.token_ids) pending_ids_.push_back(id);
  text::AnswerDelta delta = builder_.Add(id);
  completion_tokens_ = builder_.tokens();
  stopped_ = delta.stopped;
  const std::string stop_string = delta.stop_string;
  Append(std::move(delta), sink);
  if (!stopped_) return;
  ending_.emplace();
  ending_->finish_reason = "stop";
  ending_->stop_reason = stop_string;
  ending_->token_ids.swap(pending_ids_);
  pending_.clear();
}

absl::Status Choice::Finish(const Finished& finished, DeltaSink sink) {
  if (finished_) return absl::InternalError("a choice ended twice");
  finished_ = true;
  if (stopped_) return absl::OkStatus();
  Append(builder_.Finish(), sink);
  completion_tokens_ = finished.completion_tokens;
  ending_.emplace();
  ending_->finish_reason = finished.by_length ? "length" : "stop";
  if (!finished.by_length && finished.stop_token_requested) {
    ending_->stop_reason = finished.stop_token_id;
  }
  ending_->logprobs = TakePending();
  if (options_.token_ids && !finished.by_length) pending_ids_.push_back(finished.stop_token_id);
  ending_->token_ids.swap(pending_ids_);
  return absl::OkStatus();
}

std::optional<openai::ReplyEnding> Choice::TakeEnding() {
  std::optional<openai::ReplyEnding> ending;
  ending.swap(ending_);
  if (ending.has_value()) ending->choice = index_;
  return ending;
}

void Choice::AddLogprobs(int32_t id, const TokenLogprobs& logprobs) {
  Pending pending;
  pending.entry.chosen = Describe(id, logprobs.logprob, true);
  const size_t top = std::min<size_t>(logprobs.top.size(), options_.top_logprobs);
  for (size_t i = 0; i < top; ++i) {
    pending.entry.top.push_back(Describe(logprobs.top[i].first, logprobs.top[i].second, false));
  }
  pending.begin = token_bytes_;
  token_bytes_ += pending.entry.chosen.bytes.value_or("").size();
  pending_.push_back(std::move(pending));
}

// A special token that is left out of the text adds nothing to it, but keeps its name.
openai::TokenLogprob Choice::Describe(int32_t id, float logprob, bool chosen) const {
  const text::Tokenizer& tokenizer = model_.tokenizer();
  const absl::string_view bytes = tokenizer.TokenBytes(id);
  openai::TokenLogprob out;
  out.token = options_.tokens_as_ids ? absl::StrCat("token_id:", id) : ReplaceInvalidUtf8(bytes);
  const bool left_out = chosen && options_.answer.skip_special && tokenizer.IsSpecial(id);
  if (!left_out) out.bytes = std::string(bytes);
  out.logprob = logprob;
  return out;
}

// Log-probabilities go with the first text that they had a part in. What a stop string took away
// was part of no text.
void Choice::Append(text::AnswerDelta delta, DeltaSink sink) {
  if (delta.reasoning.empty() && delta.content.empty()) return;
  shown_bytes_ += delta.content.size();
  openai::ReplyDelta out;
  out.choice = index_;
  out.reasoning = std::move(delta.reasoning);
  out.content = std::move(delta.content);
  if (delta.stopped && options_.answer.reasoning == text::ReasoningMode::kInline) {
    const auto removed = std::find_if(pending_.begin(), pending_.end(), [this](const Pending& one) {
      return one.begin >= shown_bytes_;
    });
    pending_.erase(removed, pending_.end());
  }
  out.logprobs = TakePending();
  out.token_ids.swap(pending_ids_);
  sink(out);
}

std::vector<openai::LogprobEntry> Choice::TakePending() {
  std::vector<openai::LogprobEntry> entries;
  entries.reserve(pending_.size());
  for (Pending& pending : pending_) entries.push_back(std::move(pending.entry));
  pending_.clear();
  return entries;
}

}  // namespace switchboard::gateway
