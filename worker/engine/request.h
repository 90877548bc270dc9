// What goes into the engine and what comes out: plain values, no text, no gRPC.
#ifndef SWITCHBOARD_WORKER_ENGINE_REQUEST_H_
#define SWITCHBOARD_WORKER_ENGINE_REQUEST_H_

#include <cstdint>
#include <memory>
#include <utility>
#include <variant>
#include <vector>

#include "absl/status/status.h"

namespace switchboard::engine {

// How to choose tokens; every field is used as it stands (defaults are resolved by the caller).
// Ranges as in proto/switchboard/v1/inference.proto, checked by ValidateRequest.
struct SamplingParams {
  float temperature = 1.0f;  // below 1e-5: greedy
  float top_p = 1.0f;        // 1 = off; 0 keeps one token
  int top_k = 0;             // 0 = off
  float min_p = 0.0f;        // 0 = off
  float repetition_penalty = 1.0f;
  float frequency_penalty = 0.0f;
  float presence_penalty = 0.0f;
  std::vector<std::pair<int32_t, float>> logit_bias;
  uint64_t seed = 0;
  int max_tokens = 1;
  int min_tokens = 0;
  std::vector<int32_t> stop_token_ids;
  bool ignore_eos = false;
  bool logprobs = false;
  int top_logprobs = 0;
};

// An image ready for the vision tower.
struct PreparedImage {
  std::vector<float> patches;  // [grid_h * grid_w, patch width], see media/patches.h
  int32_t grid_h = 0, grid_w = 0;
  int32_t prompt_offset = 0;  // of its first placeholder
  int32_t tokens = 0;         // number of placeholders
};

struct Request {
  std::vector<int32_t> prompt_ids;
  std::vector<PreparedImage> images;  // in order of prompt_offset
  SamplingParams sampling;
  int choices = 1;
};

struct TokenLogprobs {
  float logprob = 0;
  std::vector<std::pair<int32_t, float>> top;  // best first
};

// The request left the queue and has room in the KV cache.
struct StartedEvent {
  int32_t cached_tokens = 0;
};

struct TokenEvent {
  int32_t choice = 0;
  int32_t position = 0;  // index in the choice's output
  int32_t id = 0;
  TokenLogprobs logprobs;  // filled when asked for
};

struct FinishedEvent {
  enum Reason { kStop, kLength };
  int32_t choice = 0;
  Reason reason = kStop;
  int32_t stop_token_id = -1;         // for kStop
  bool stop_token_requested = false;  // from stop_token_ids, not an end token of the model
  int32_t completion_tokens = 0;
};

// The request cannot go on (say, non-finite logits: Internal). Nothing follows.
struct FailedEvent {
  absl::Status status;
};

using Event = std::variant<StartedEvent, TokenEvent, FinishedEvent, FailedEvent>;

// Takes a request's events. Called from the engine thread, one event at a time, Started first;
// after the last choice's FinishedEvent or a FailedEvent the engine drops its reference. Must not
// block and must not call the engine.
class EventSink {
 public:
  virtual ~EventSink() = default;
  virtual void OnEvent(Event event) = 0;
  // Asked once per step: false holds this request's next tokens back (its reader is slow) without
  // holding up others.
  virtual bool ReadyForMore() const = 0;
};

}  // namespace switchboard::engine

#endif  // SWITCHBOARD_WORKER_ENGINE_REQUEST_H_
