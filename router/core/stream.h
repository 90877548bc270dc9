// What travels on a stream of tokens, as the router's core sees it: the events of
// proto/switchboard/v1/inference.proto as plain values.
#ifndef SWITCHBOARD_ROUTER_CORE_STREAM_H_
#define SWITCHBOARD_ROUTER_CORE_STREAM_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace switchboard::router {

// What the core must know of a request; the rest of it stays with the shell.
struct RequestInfo {
  std::string request_id = {};
  std::string model = {};
  std::string fingerprint = {};  // empty: any worker that has the model
  int32_t choices = 1;           // 1 to 128
  size_t bytes = 0;              // memory that the request holds until its first token
};

struct AcceptedEvent {
  std::string worker;
  std::string fingerprint;
  int32_t cached_tokens = 0;
};

struct TokenLogprobs {
  float logprob = 0;
  std::vector<int32_t> top_ids;  // best first
  std::vector<float> top_logprobs;
};

struct TokensEvent {
  int32_t choice = 0;
  int32_t position = 0;  // index of ids[0] in the choice's output
  std::vector<int32_t> ids;
  std::vector<TokenLogprobs> logprobs;  // one per id, or none
};

struct FinishedEvent {
  enum Reason { kUnspecified, kStop, kLength };
  int32_t choice = 0;
  Reason reason = kUnspecified;
  int32_t stop_token_id = 0;
  bool stop_token_requested = false;
  int32_t completion_tokens = 0;
};

using StreamEvent = std::variant<AcceptedEvent, TokensEvent, FinishedEvent>;

}  // namespace switchboard::router

#endif  // SWITCHBOARD_ROUTER_CORE_STREAM_H_
