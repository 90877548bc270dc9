#include "gateway/handlers/answer.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/status_macros.h"

namespace switchboard::gateway {
namespace {

void Append(std::string piece, Pieces* pieces) {
  if (!piece.empty()) pieces->push_back(std::move(piece));
}

}  // namespace

Answer::Answer(AnswerPlan plan) : plan_(std::move(plan)), open_choices_(plan_.choices) {
  for (int i = 0; i < plan_.choices; ++i) {
    choices_.emplace_back(i, plan_.model.get(), &plan_.choice);
  }
}

Pieces Answer::Begin(const Accepted& accepted) {
  cached_tokens_ = accepted.cached_tokens;
  Pieces pieces;
  Append(plan_.format->Begin(usage()), &pieces);
  return pieces;
}

absl::StatusOr<Pieces> Answer::Add(const Tokens& tokens) {
  ASSIGN_OR_RETURN(Choice* const choice, Find(tokens.choice));
  Pieces pieces;
  RETURN_IF_ERROR(choice->Add(tokens, [this, &pieces](const openai::ReplyDelta& delta) {
    Append(plan_.format->Add(delta, usage()), &pieces);
  }));
  AppendEnding(choice, &pieces);
  return pieces;
}

absl::StatusOr<Pieces> Answer::Finish(const Finished& finished) {
  ASSIGN_OR_RETURN(Choice* const choice, Find(finished.choice));
  Pieces pieces;
  RETURN_IF_ERROR(choice->Finish(finished, [this, &pieces](const openai::ReplyDelta& delta) {
    Append(plan_.format->Add(delta, usage()), &pieces);
  }));
  AppendEnding(choice, &pieces);
  return pieces;
}

Pieces Answer::End() {
  CHECK(complete());
  Pieces pieces;
  Append(plan_.format->End(usage()), &pieces);
  return pieces;
}

bool Answer::finished() const {
  return std::all_of(choices_.begin(), choices_.end(),
                     [](const Choice& choice) { return choice.finished(); });
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

void Answer::AppendEnding(Choice* choice, Pieces* pieces) {
  const std::optional<openai::ReplyEnding> ending = choice->TakeEnding();
  if (!ending.has_value()) return;
  --open_choices_;
  Append(plan_.format->Finish(*ending, usage()), pieces);
}

}  // namespace switchboard::gateway
