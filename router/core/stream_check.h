// Is this the stream that the protocol promises: Accepted, then every choice's tokens without gap
// or repeat, then its end?
#ifndef SWITCHBOARD_ROUTER_CORE_STREAM_CHECK_H_
#define SWITCHBOARD_ROUTER_CORE_STREAM_CHECK_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "router/core/stream.h"

namespace switchboard::router {

// Follows one stream of one worker. Not thread-safe.
class StreamCheck {
 public:
  explicit StreamCheck(int32_t choices) : choices_(static_cast<size_t>(choices)) {}

  // Internal, naming choice and position, when `event` may not come now; the stream is then
  // worthless.
  absl::Status Next(const StreamEvent& event);
  // Internal when the stream ends with OK before every choice has ended.
  absl::Status End() const;

  // Tokens seen so far, over all choices.
  int64_t tokens() const { return tokens_; }

 private:
  struct Choice {
    int32_t next_position = 0;
    bool finished = false;
  };

  absl::Status NextTokens(const TokensEvent& tokens);
  absl::Status NextFinished(const FinishedEvent& finished);
  // The choice that an event speaks of; Internal when there is none, or it has ended.
  absl::Status CheckOpen(int32_t choice) const;

  bool accepted_ = false;
  int64_t tokens_ = 0;
  std::vector<Choice> choices_;
};

}  // namespace switchboard::router

#endif  // SWITCHBOARD_ROUTER_CORE_STREAM_CHECK_H_
