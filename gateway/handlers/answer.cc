#include "gateway/handlers/answer.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/status_macros.h"

namespace switchboard::gateway {

Answer::Answer(AnswerPlan plan) : plan_(std::move(plan)), open_choices_(plan_.choices) {
  for (int i = 0; i < plan_.choices; ++i) {
    choices_.emplace_back(i, plan_.model.get(), &plan_.choice);
  }
}

std::string Answer::Begin(const Accepted& accepted) {
  cached_tokens_ = accepted.cached_tokens;
  return plan_.format->Begin(usage());
}

absl::StatusOr<std::string> Answer::Add(const Tokens& tokens) {
  ASSIGN_OR_RETURN(Choice* const choice, Find(tokens.choice));
  std::string out;
  RETURN_IF_ERROR(choice->Add(tokens, [this, &out](const openai::ReplyDelta& delta) {
    out += plan_.format->Add(delta, usage());
  }));
  return out + FormatEnding(choice);
}

absl::StatusOr<std::string> Answer::Finish(const Finished& finished) {
  ASSIGN_OR_RETURN(Choice* const choice, Find(finished.choice));
  std::string out;
  RETURN_IF_ERROR(choice->Finish(finished, [this, &out](const openai::ReplyDelta& delta) {
    out += plan_.format->Add(delta, usage());
  }));
  return out + FormatEnding(choice);
}

std::string Answer::End() {
  CHECK(complete());
  return plan_.format->End(usage());
}

openai::Usage Answer::usage() const {
  openai::Usage usage;
  usage.prompt_tokens = plan_.prompt_tokens;
  usage.cached_tokens = cached_tokens_;
  for (const Choice& choice : choices_) {
    usage.completion_tokens += choice.completion_tokens();
    usage.reasoning_tokens += choice.reasoning_tokens();
  }
  return usage;
}

absl::StatusOr<Choice*> Answer::Find(int index) {
  if (index < 0 || index >= plan_.choices) {
    return absl::InternalError(absl::StrCat("choice ", index, " of ", plan_.choices));
  }
  return &choices_[index];
}

std::string Answer::FormatEnding(Choice* choice) {
  const std::optional<openai::ReplyEnding> ending = choice->TakeEnding();
  if (!ending.has_value()) return "";
  --open_choices_;
  return plan_.format->Finish(*ending, usage());
}

}  // namespace switchboard::gateway
