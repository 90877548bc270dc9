// A request while the engine works on it, and its choices.
#ifndef SWITCHBOARD_WORKER_ENGINE_ACTIVE_REQUEST_H_
#define SWITCHBOARD_WORKER_ENGINE_ACTIVE_REQUEST_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/time/time.h"
#include "worker/engine/kv/page_table.h"
#include "worker/engine/options.h"
#include "worker/engine/prompt_images.h"
#include "worker/engine/request.h"
#include "worker/engine/sample/penalties.h"
#include "worker/engine/stop_tokens.h"
#include "worker/model/model.h"

namespace switchboard::engine {

class ActiveRequest;

// One choice: known tokens, of which the first `computed` have keys and values in `pages`.
struct Sequence {
  Sequence(ActiveRequest* owner, int index, PagePool* pool)
      : request(owner), choice(index), pages(pool) {}

  int known() const;
  int output_tokens() const;

  ActiveRequest* const request;
  const int choice;
  // Prompt, then output; empty until the first admission (then known() counts the prompt).
  std::vector<int32_t> tokens;
  int computed = 0;
  PageTable pages;
  OutputCounts counts;  // kept when a penalty needs them
  absl::Duration last_token_at;
};

// Oldest request first, then by choice: the order in which sequences are served.
bool Older(const Sequence* a, const Sequence* b);

// Engine thread only. Addresses of the sequences stay as they are.
class ActiveRequest {
 public:
  // `pool` must outlive the object. `positions` stays empty for the caller to fill.
  ActiveRequest(uint64_t id, Request request, std::shared_ptr<EventSink> sink,
                absl::Duration submitted_at, const EngineOptions& options, PagePool* pool);
  ActiveRequest(const ActiveRequest&) = delete;
  ActiveRequest& operator=(const ActiveRequest&) = delete;

  uint64_t id() const { return id_; }
  const Request& request() const { return request_; }
  const SamplingParams& sampling() const { return request_.sampling; }
  EventSink& sink() { return *sink_; }
  absl::Duration submitted_at() const { return submitted_at_; }
  int prompt_tokens() const { return static_cast<int>(request_.prompt_ids.size()); }
  // Tokens that a choice can have at most: max_tokens, or the end of the context.
  int limit() const { return limit_; }
  const StopTokens& stops() const { return stops_; }
  const std::vector<int32_t>& penalized_prompt_ids() const { return penalized_prompt_ids_; }

  std::vector<Sequence>& choices() { return choices_; }
  const std::vector<Sequence>& choices() const { return choices_; }
  // The stretch of the prompt that a choice can take over from a sibling: all but the last token,
  // whose logits each choice needs for itself.
  int shareable_tokens() const { return prompt_tokens() - 1; }
  // A choice with at least shareable_tokens() computed tokens; null if there is none.
  const Sequence* PromptHolder() const;
  // Some choice holds pages.
  bool HoldsPages() const;

  PromptImages images;
  model::PositionPlan positions;  // the model's plan for the prompt
  absl::Duration image_time;      // spent on the image in work
  bool started = false;
  int unfinished;  // choices without FinishedEvent
  // Turns since the sink was last ready for more (0: it is), and the turn in which it was asked.
  int held_turns = 0;
  uint64_t asked_in_turn = 0;

 private:
  const uint64_t id_;
  Request request_;  // its images are in `images`
  const std::shared_ptr<EventSink> sink_;
  const absl::Duration submitted_at_;
  const int limit_;
  const StopTokens stops_;
  const std::vector<int32_t> penalized_prompt_ids_;
  std::vector<Sequence> choices_;
};

}  // namespace switchboard::engine

#endif  // SWITCHBOARD_WORKER_ENGINE_ACTIVE_REQUEST_H_
