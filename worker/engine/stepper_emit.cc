// The second half of Stepper: from logits to events, and the ends of requests.
#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "worker/engine/stepper.h"

namespace switchboard::engine {

void Stepper::Emit() {
  const size_t vocab = static_cast<size_t>(model_->shape().vocab_size);
  for (const Computed& computed : computed_) {
    if (computed.row < 0) continue;
    Sequence* const sequence = Find(computed.request, computed.choice);
    if (sequence == nullptr) continue;
    ChooseToken(sequence, absl::MakeConstSpan(logits_).subspan(
                              vocab * static_cast<size_t>(computed.row), vocab));
  }
  computed_.clear();
  ++stats_.steps;
  report_.duration = clock_.Monotonic() - step_began_;
  observer_->OnStep(report_);
}

Sequence* Stepper::Find(uint64_t request, int choice) {
  const auto found = requests_.find(request);
  return found == requests_.end() ? nullptr : &found->second->choices()[choice];
}

void Stepper::ChooseToken(Sequence* sequence, absl::Span<const float> logits) {
  ActiveRequest* const request = sequence->request;
  const StopTokens& stops = request->stops();
  const int output = sequence->output_tokens();
  DrawContext context{.params = request->sampling(),
                      .penalized_prompt_ids = request->penalized_prompt_ids(),
                      .counts = sequence->counts,
                      .masked_ids = {},
                      .position = sequence->known(),
                      .choice = sequence->choice};
  if (output < request->sampling().min_tokens) context.masked_ids = stops.ids();
  absl::StatusOr<Drawn> drawn = sampler_.Draw(logits, context);
  if (!drawn.ok()) return Fail(request, drawn.status());
  ++stats_.generated_tokens;
  if (stops.Contains(drawn->id)) {
    return Finish(sequence, {.choice = sequence->choice,
                             .reason = FinishedEvent::kStop,
                             .stop_token_id = drawn->id,
                             .stop_token_requested = stops.Requested(drawn->id),
                             .completion_tokens = output + 1});
  }
  AppendToken(sequence, *std::move(drawn));
}

void Stepper::AppendToken(Sequence* sequence, Drawn drawn) {
  ActiveRequest* const request = sequence->request;
  const int position = sequence->output_tokens();
  const absl::Duration now = clock_.Monotonic();
  if (position == 0) {
    observer_->OnFirstToken(now - request->submitted_at());
  } else {
    observer_->OnNextToken(now - sequence->last_token_at);
  }
  sequence->last_token_at = now;
  sequence->tokens.push_back(drawn.id);
  if (NeedsCounts(request->sampling())) ++sequence->counts[drawn.id];
  request->sink().OnEvent(TokenEvent{.choice = sequence->choice,
                                     .position = position,
                                     .id = drawn.id,
                                     .logprobs = std::move(drawn.logprobs)});
  if (sequence->known() == request->limit()) {
    Finish(sequence, {.choice = sequence->choice,
                      .reason = FinishedEvent::kLength,
                      .completion_tokens = position + 1});
  }
}

void Stepper::Finish(Sequence* sequence, FinishedEvent event) {
  ActiveRequest* const request = sequence->request;
  LeaveRunning(sequence);
  request->sink().OnEvent(event);
  if (--request->unfinished > 0) return;
  Drop(request,
       event.reason == FinishedEvent::kStop ? RequestReport::kStop : RequestReport::kLength);
}

void Stepper::Fail(ActiveRequest* request, const absl::Status& status) {
  request->sink().OnEvent(FailedEvent{status});
  Drop(request, RequestReport::kFailed);
}

void Stepper::FailIf(bool (*chosen)(const ActiveRequest&), const absl::Status& status) {
  std::vector<ActiveRequest*> failing;
  for (const auto& [id, request] : requests_) {
    if (chosen(*request)) failing.push_back(request.get());
  }
  // Not in the map's order, which is different in every process.
  std::sort(failing.begin(), failing.end(),
            [](const ActiveRequest* a, const ActiveRequest* b) { return a->id() < b->id(); });
  for (ActiveRequest* request : failing) Fail(request, status);
}

void Stepper::FailWaiting(const absl::Status& status) {
  FailIf([](const ActiveRequest& request) { return !request.started; }, status);
}

void Stepper::FailAll(const absl::Status& status) {
  FailIf([](const ActiveRequest&) { return true; }, status);
}

void Stepper::Cancel(uint64_t id) {
  const auto found = requests_.find(id);
  if (found != requests_.end()) Drop(found->second.get(), RequestReport::kCancelled);
}

void Stepper::LeaveRunning(Sequence* sequence) {
  std::erase(running_, sequence);
  sequence->pages.Clear();
  sequence->computed = 0;
}

void Stepper::Drop(ActiveRequest* request, RequestReport::End end) {
  const auto of_request = [request](const Sequence* s) { return s->request == request; };
  std::erase_if(running_, of_request);
  std::erase_if(waiting_, of_request);
  if (!request->started) --waiting_requests_;
  observer_->OnEnded({.end = end, .duration = clock_.Monotonic() - request->submitted_at()});
  requests_.erase(request->id());
}

}  // namespace switchboard::engine
