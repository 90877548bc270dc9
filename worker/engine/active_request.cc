#include "worker/engine/active_request.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace switchboard::engine {
namespace {

int LimitOf(const Request& request, const EngineOptions& options) {
  const int64_t wanted =
      static_cast<int64_t>(request.prompt_ids.size()) + request.sampling.max_tokens;
  return static_cast<int>(std::min<int64_t>(wanted, options.max_model_len));
}

}  // namespace

int Sequence::known() const {
  return tokens.empty() ? request->prompt_tokens() : static_cast<int>(tokens.size());
}

int Sequence::output_tokens() const { return known() - request->prompt_tokens(); }

bool Older(const Sequence* a, const Sequence* b) {
  return std::tuple(a->request->id(), a->choice) < std::tuple(b->request->id(), b->choice);
}

ActiveRequest::ActiveRequest(uint64_t id, Request request, std::shared_ptr<EventSink> sink,
                             absl::Duration submitted_at, const EngineOptions& options,
                             PagePool* pool)
    : unfinished(request.choices),
      id_(id),
      request_(std::move(request)),
      sink_(std::move(sink)),
      submitted_at_(submitted_at),
      limit_(LimitOf(request_, options)),
      stops_(request_.sampling, options.eos_token_ids),
      penalized_prompt_ids_(PenalizedPromptIds(request_)) {
  images = PromptImages(std::exchange(request_.images, {}));
  choices_.reserve(request_.choices);
  for (int i = 0; i < request_.choices; ++i) choices_.emplace_back(this, i, pool);
}

const Sequence* ActiveRequest::PromptHolder() const {
  const auto holder = std::find_if(choices_.begin(), choices_.end(), [this](const Sequence& s) {
    return s.pages.size() > 0 && s.computed >= shareable_tokens();
  });
  return holder == choices_.end() ? nullptr : &*holder;
}

bool ActiveRequest::HoldsPages() const {
  return std::any_of(choices_.begin(), choices_.end(),
                     [](const Sequence& s) { return s.pages.size() > 0; });
}

}  // namespace switchboard::engine
