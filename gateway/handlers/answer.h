// The whole answer to a request: events of a generation in, bytes for the client out. Pure.
#ifndef SWITCHBOARD_GATEWAY_HANDLERS_ANSWER_H_
#define SWITCHBOARD_GATEWAY_HANDLERS_ANSWER_H_

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "gateway/handlers/choice.h"
#include "gateway/openai/reply_format.h"

namespace switchboard::gateway {

struct AnswerPlan {
  std::shared_ptr<const Model> model;
  ChoiceOptions choice;
  int choices = 1;
  int64_t prompt_tokens = 0;
  std::unique_ptr<openai::ReplyFormat> format;
};

// Bytes to send, in order; each is an event of a stream of its own. None is empty.
using Pieces = std::vector<std::string>;

// Not thread-safe. What Begin, Add, Finish and End return is to be sent in this order.
class Answer {
 public:
  explicit Answer(AnswerPlan plan);

  Pieces Begin(const Accepted& accepted);
  // Internal: the worker breaks the protocol.
  absl::StatusOr<Pieces> Add(const Tokens& tokens);
  absl::StatusOr<Pieces> Finish(const Finished& finished);
  // REQUIRES: complete().
  Pieces End();

  // Every choice has ended, by itself or at a stop string: more is not needed of the worker.
  bool complete() const { return open_choices_ == 0; }
  // The worker itself has said of every choice that it is over: of a call that goes well, only its
  // end is still to come.
  bool finished() const;
  // As it stands now.
  openai::Usage usage() const;

 private:
  absl::StatusOr<Choice*> Find(int index);
  // Adds what the format makes of the end of `choice`, if that has come.
  void AppendEnding(Choice* choice, Pieces* pieces);

  const AnswerPlan plan_;
  std::deque<Choice> choices_;  // a deque: choices do not move
  int open_choices_;
  int64_t cached_tokens_ = 0;
};

}  // namespace switchboard::gateway

#endif  // SWITCHBOARD_GATEWAY_HANDLERS_ANSWER_H_
