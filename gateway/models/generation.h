// A generation at a router, as the rest of the gateway sees it: plain structs, no gRPC.
#ifndef SWITCHBOARD_GATEWAY_MODELS_GENERATION_H_
#define SWITCHBOARD_GATEWAY_MODELS_GENERATION_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "gateway/models/prompt.h"
#include "gateway/openai/sampling.h"

namespace switchboard::gateway {

// GenerateRequest of inference.proto, which explains the fields.
struct GenerateCall {
  std::string request_id;
  std::string model;
  std::string fingerprint;
  std::vector<int32_t> prompt_ids;
  std::vector<PromptImage> images;
  openai::Sampling sampling;
  int choices = 1;
};

// GenerateEvent of inference.proto.
struct Accepted {
  std::string worker;
  int64_t cached_tokens = 0;
};

struct TokenLogprobs {
  float logprob = 0;
  std::vector<std::pair<int32_t, float>> top;  // best first
};

struct Tokens {
  int choice = 0;
  int64_t position = 0;  // of ids[0] in the choice's output
  std::vector<int32_t> ids;
  std::vector<TokenLogprobs> logprobs;  // one per id, or none
};

struct Finished {
  int choice = 0;
  bool by_length = false;  // else by a stop token
  int32_t stop_token_id = 0;
  bool stop_token_requested = false;
  int64_t completion_tokens = 0;
};

// The call is over and nothing follows. OK: as the protocol has it. Otherwise an error of the API,
// except FailedPrecondition: the fingerprint of the call is out of date.
struct Ended {
  absl::Status status;
};

using GenerationEvent = std::variant<Accepted, Tokens, Finished, Ended>;

// One running generation. Used by one thread; the destructor cancels what still runs, unless it was
// let end, and does not block.
class Generation {
 public:
  virtual ~Generation() = default;
  // The next event; nothing when there is none yet. Taking events is what makes room for more: a
  // consumer that does not take stops the stream at its source.
  virtual std::optional<GenerationEvent> Take() = 0;
  // Calls `wake` once, from any thread or from inside this call, as soon as Take() may have
  // something. A new call replaces the old `wake`.
  virtual void NotifyWhenReady(std::function<void()> wake) = 0;
  // All that matters has come: what is still on its way is read, and dropped, behind the caller's
  // back, so that the other side sees a clean end. Nothing may be called any more.
  virtual void LetEnd() = 0;
};

// Starts generations. Thread-safe; does not block.
class Generator {
 public:
  virtual ~Generator() = default;
  // Never null: errors come as Ended.
  virtual std::unique_ptr<Generation> Start(const GenerateCall& call, absl::Time deadline) = 0;
};

}  // namespace switchboard::gateway

#endif  // SWITCHBOARD_GATEWAY_MODELS_GENERATION_H_
