#include "router/core/stream_check.h"

#include <limits>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"

namespace switchboard::router {

absl::Status StreamCheck::Next(const StreamEvent& event) {
  if (std::holds_alternative<AcceptedEvent>(event)) {
    if (accepted_) return absl::InternalError("a second Accepted");
    accepted_ = true;
    return absl::OkStatus();
  }
  if (!accepted_) return absl::InternalError("the first event is not Accepted");
  if (const auto* tokens = std::get_if<TokensEvent>(&event)) return NextTokens(*tokens);
  return NextFinished(std::get<FinishedEvent>(event));
}

absl::Status StreamCheck::CheckOpen(int32_t choice) const {
  if (choice < 0 || static_cast<size_t>(choice) >= choices_.size()) {
    return absl::InternalError(absl::StrCat("choice ", choice, " of ", choices_.size()));
  }
  if (choices_[static_cast<size_t>(choice)].finished) {
    return absl::InternalError(absl::StrCat("choice ", choice, " goes on after its end"));
  }
  return absl::OkStatus();
}

absl::Status StreamCheck::NextTokens(const TokensEvent& tokens) {
  RETURN_IF_ERROR(CheckOpen(tokens.choice));
  Choice& choice = choices_[static_cast<size_t>(tokens.choice)];
  if (tokens.position != choice.next_position) {
    return absl::InternalError(absl::StrCat("position ", tokens.position, " of choice ",
                                            tokens.choice, " where ", choice.next_position,
                                            " is due"));
  }
  if (tokens.ids.empty()) {
    return absl::InternalError(absl::StrCat("no tokens for choice ", tokens.choice));
  }
  if (!tokens.logprobs.empty() && tokens.logprobs.size() != tokens.ids.size()) {
    return absl::InternalError(absl::StrCat(tokens.logprobs.size(), " log-probabilities for ",
                                            tokens.ids.size(), " tokens of choice ",
                                            tokens.choice));
  }
  const size_t room =
      static_cast<size_t>(std::numeric_limits<int32_t>::max() - choice.next_position);
  if (tokens.ids.size() > room) return absl::InternalError("more than 2^31 tokens");
  choice.next_position += static_cast<int32_t>(tokens.ids.size());
  tokens_ += static_cast<int64_t>(tokens.ids.size());
  return absl::OkStatus();
}

absl::Status StreamCheck::NextFinished(const FinishedEvent& finished) {
  RETURN_IF_ERROR(CheckOpen(finished.choice));
  choices_[static_cast<size_t>(finished.choice)].finished = true;
  return absl::OkStatus();
}

absl::Status StreamCheck::End() const {
  if (!accepted_) return absl::InternalError("the stream ended without Accepted");
  for (size_t i = 0; i < choices_.size(); ++i) {
    if (!choices_[i].finished) {
      return absl::InternalError(absl::StrCat("the stream ended before choice ", i, " did"));
    }
  }
  return absl::OkStatus();
}

}  // namespace switchboard::router
