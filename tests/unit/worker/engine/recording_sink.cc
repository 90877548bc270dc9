#include "tests/unit/worker/engine/recording_sink.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <variant>

namespace switchboard::engine {

void RecordingSink::OnEvent(Event event) {
  MutexLock lock(&mutex_);
  EXPECT_FALSE(EndedLocked()) << "an event after the end";
  ++events_;
  if (const auto* started = std::get_if<StartedEvent>(&event)) Take(*started);
  if (const auto* token = std::get_if<TokenEvent>(&event)) Take(*token);
  if (const auto* finished = std::get_if<FinishedEvent>(&event)) Take(*finished);
  if (const auto* failed = std::get_if<FailedEvent>(&event)) Take(*failed);
  changed_.NotifyAll();
}

void RecordingSink::Take(const StartedEvent& event) {
  EXPECT_EQ(events_, 1) << "Started is the first event";
  EXPECT_EQ(event.cached_tokens, 0);
  started_ = true;
}

void RecordingSink::Take(const TokenEvent& event) {
  EXPECT_TRUE(started_);
  EXPECT_FALSE(finished_.at(event.choice));
  EXPECT_EQ(event.position, static_cast<int32_t>(answers_[event.choice].ids.size()));
  // Several choices may each get a token before the sink is asked again.
  EXPECT_TRUE(allowance_ != 0 || answers_.size() > 1) << "a token for a reader that is not ready";
  answers_[event.choice].ids.push_back(event.id);
  logprobs_.push_back(event.logprobs);
  ++tokens_;
  if (allowance_ > 0) --allowance_;
}

void RecordingSink::Take(const FinishedEvent& event) {
  EXPECT_TRUE(started_);
  EXPECT_FALSE(finished_.at(event.choice));
  finished_[event.choice] = true;
  Answer& answer = answers_[event.choice];
  answer.reason = event.reason;
  answer.stop_token_id = event.stop_token_id;
  answer.stop_token_requested = event.stop_token_requested;
  answer.completion_tokens = event.completion_tokens;
}

void RecordingSink::Take(const FailedEvent& event) { failure_ = event.status; }

bool RecordingSink::ReadyForMore() const {
  MutexLock lock(&mutex_);
  ++asked_;
  return allowance_ != 0;
}

void RecordingSink::SetAllowance(int tokens) {
  MutexLock lock(&mutex_);
  allowance_ = tokens;
}

void RecordingSink::WaitForEnd() {
  MutexLock lock(&mutex_);
  while (!EndedLocked()) changed_.Wait(&mutex_);
}

void RecordingSink::WaitForTokens(int tokens) {
  MutexLock lock(&mutex_);
  while (tokens_ < tokens) changed_.Wait(&mutex_);
}

bool RecordingSink::EndedLocked() const {
  return failure_.has_value() || std::count(finished_.begin(), finished_.end(), false) == 0;
}

bool RecordingSink::started() const {
  MutexLock lock(&mutex_);
  return started_;
}

bool RecordingSink::ended() const {
  MutexLock lock(&mutex_);
  return EndedLocked();
}

std::optional<absl::Status> RecordingSink::failure() const {
  MutexLock lock(&mutex_);
  return failure_;
}

std::vector<Answer> RecordingSink::answers() const {
  MutexLock lock(&mutex_);
  return answers_;
}

std::vector<TokenLogprobs> RecordingSink::logprobs() const {
  MutexLock lock(&mutex_);
  return logprobs_;
}

int RecordingSink::tokens() const {
  MutexLock lock(&mutex_);
  return tokens_;
}

int RecordingSink::events() const {
  MutexLock lock(&mutex_);
  return events_;
}

int RecordingSink::asked() const {
  MutexLock lock(&mutex_);
  return asked_;
}

}  // namespace switchboard::engine
