#include "worker/engine/stepper.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "absl/status/statusor.h"
#include "base/check.h"
#include "worker/engine/plan/planner.h"

namespace switchboard::engine {

Stepper::Stepper(model::Model* model, std::unique_ptr<model::KvCache> cache,
                 const EngineOptions& options, const Clock& clock, EngineObserver* observer)
    : model_(model),
      cache_(std::move(cache)),
      options_(options),
      clock_(clock),
      observer_(observer),
      pool_(cache_->pages()),
      sampler_(options.usable_vocab),
      batch_(options.max_batched_tokens) {
  stats_.kv_pages = pool_.pages();
}

// The sequences give their pages back before the pool goes.
Stepper::~Stepper() { requests_.clear(); }

void Stepper::Add(uint64_t id, Request request, std::shared_ptr<EventSink> sink,
                  absl::Duration submitted_at) {
  auto added = std::make_unique<ActiveRequest>(id, std::move(request), std::move(sink),
                                               submitted_at, options_, &pool_);
  ActiveRequest* const active = added.get();
  requests_.emplace(id, std::move(added));
  ++waiting_requests_;
  absl::StatusOr<model::PositionPlan> positions =
      model_->PlanPositions(active->prompt_tokens(), active->images.Ranges());
  if (!positions.ok()) return Fail(active, positions.status());
  CHECK(positions->prompt.size() == static_cast<size_t>(active->prompt_tokens()));
  active->positions = *std::move(positions);
  for (Sequence& sequence : active->choices()) waiting_.push_back(&sequence);
}

// The sink is asked once per turn, however many choices the request has.
int Stepper::HeldTurns(ActiveRequest* request) {
  if (request->asked_in_turn != turn_) {
    request->asked_in_turn = turn_;
    request->held_turns = request->sink().ReadyForMore() ? 0 : request->held_turns + 1;
  }
  return request->held_turns;
}

std::vector<RunningView> Stepper::ViewRunning() {
  std::vector<RunningView> views;
  views.reserve(running_.size());
  for (const Sequence* sequence : running_) {
    ActiveRequest* const request = sequence->request;
    const int pages = sequence->pages.size();
    const bool sharing = request->request().choices > 1;
    views.push_back({.known = sequence->known(),
                     .computed = sequence->computed,
                     .computable = request->images.ComputableTokens(sequence->known()),
                     .limit = request->limit(),
                     .pages = pages,
                     .exclusive_pages = sharing ? sequence->pages.exclusive_pages() : pages,
                     .held_turns = HeldTurns(request),
                     .encodes = !request->images.complete()});
  }
  return views;
}

// Held back requests are passed over. Of a request whose prompt is still being computed by one
// choice, the others wait to take it over.
std::vector<Stepper::Candidate> Stepper::CollectCandidates() {
  std::vector<Candidate> candidates;
  // One more than there are places, so that the planner sees whether somebody is left out.
  const size_t wanted = static_cast<size_t>(options_.max_running) - running_.size() + 1;
  const ActiveRequest* request = nullptr;
  const Sequence* holder = nullptr;
  bool prompt_in_work = false;
  for (Sequence* const sequence : waiting_) {
    if (candidates.size() == wanted) break;
    if (sequence->request != request) {
      request = sequence->request;
      holder = request->PromptHolder();
      prompt_in_work = holder == nullptr && request->HoldsPages();
    }
    if (prompt_in_work || HeldTurns(sequence->request) > 0) continue;
    candidates.push_back({sequence, holder});
    prompt_in_work = holder == nullptr;
  }
  return candidates;
}

std::vector<WaitingView> Stepper::ViewWaiting(absl::Span<const Candidate> candidates) const {
  std::vector<WaitingView> views;
  views.reserve(candidates.size());
  for (const auto& [sequence, holder] : candidates) {
    const ActiveRequest& request = *sequence->request;
    const int shared = holder == nullptr ? 0 : request.shareable_tokens();
    views.push_back({.known = sequence->known(),
                     .computed = shared,
                     .computable = request.images.ComputableTokens(sequence->known()),
                     .limit = request.limit(),
                     .shared_pages = shared / model::kPageTokens,
                     .encodes = !request.images.complete()});
  }
  return views;
}

bool Stepper::Plan() {
  ++turn_;
  step_began_ = clock_.Monotonic();
  const std::vector<RunningView> running = ViewRunning();
  const std::vector<Candidate> candidates = CollectCandidates();
  const std::vector<WaitingView> waiting = ViewWaiting(candidates);
  plan_ = PlanStep(
      {.running = running, .waiting = waiting, .free_pages = pool_.free_pages()},
      {.max_running = options_.max_running, .max_batched_tokens = options_.max_batched_tokens});
  if (plan_.empty()) return false;
  planned_ = running_;
  for (int i = 0; i < plan_.admit; ++i) planned_.push_back(candidates[i].sequence);
  for (const int i : plan_.preempt) Preempt(planned_[i]);
  for (int i = 0; i < plan_.admit; ++i) Admit(candidates[i]);
  return true;
}

// Known tokens stay, so nothing is lost but time.
void Stepper::Preempt(Sequence* sequence) {
  LeaveRunning(sequence);
  waiting_.insert(std::lower_bound(waiting_.begin(), waiting_.end(), sequence, Older), sequence);
  observer_->OnPreempted();
}

void Stepper::Admit(const Candidate& candidate) {
  const auto& [sequence, holder] = candidate;
  ActiveRequest* const request = sequence->request;
  waiting_.erase(std::lower_bound(waiting_.begin(), waiting_.end(), sequence, Older));
  running_.insert(std::lower_bound(running_.begin(), running_.end(), sequence, Older), sequence);
  if (sequence->tokens.empty()) sequence->tokens = request->request().prompt_ids;
  if (holder != nullptr) {
    // Whole pages are shared, as nobody writes them again; of the page in which the prompt goes on,
    // a copy.
    const int tokens = request->shareable_tokens();
    const int whole = tokens / model::kPageTokens;
    sequence->pages.Share(holder->pages, whole);
    sequence->pages.GrowTo(model::PagesFor(sequence->known()));
    const int rest = tokens % model::kPageTokens;
    if (rest > 0) {
      cache_->CopyPage(holder->pages.pages()[whole], sequence->pages.pages()[whole], rest);
    }
    sequence->computed = tokens;
  }
  sequence->pages.GrowTo(model::PagesFor(sequence->known()));
  if (!request->started) {
    request->started = true;
    --waiting_requests_;
    observer_->OnStarted(clock_.Monotonic() - request->submitted_at());
    request->sink().OnEvent(StartedEvent{});
  }
}

void Stepper::FillBatch() {
  batch_.Clear();
  computed_.clear();
  for (const auto& [number, tokens] : plan_.slices) {
    Sequence* const sequence = planned_[number];
    sequence->pages.GrowTo(model::PagesFor(sequence->known()));
    const int of_prompt = sequence->request->prompt_tokens() - sequence->computed;
    report_.prompt_tokens += std::clamp(of_prompt, 0, tokens);
    const int row = batch_.logit_rows();
    batch_.Add(*sequence, tokens);
    const bool wanted = batch_.logit_rows() > row;
    computed_.push_back({sequence->request->id(), sequence->choice, wanted ? row : -1});
  }
}

void Stepper::Compute() {
  // First, because a failing image takes its request out of the batch.
  if (plan_.encode >= 0) EncodeImage(planned_[plan_.encode]->request);
  report_ = StepReport();
  FillBatch();
  const size_t vocab = static_cast<size_t>(model_->shape().vocab_size);
  const size_t wanted = vocab * static_cast<size_t>(batch_.logit_rows());
  if (logits_.size() < wanted) logits_.resize(wanted);
  if (!plan_.slices.empty()) {
    model_->Forward(batch_.Slices(), cache_.get(), logits_.data());
  }
  for (const auto& [number, tokens] : plan_.slices) planned_[number]->computed += tokens;
}

void Stepper::EncodeImage(ActiveRequest* request) {
  const absl::Duration began = clock_.Monotonic();
  const absl::StatusOr<bool> done = request->images.Step(model_);
  request->image_time += clock_.Monotonic() - began;
  if (!done.ok()) {
    std::erase_if(plan_.slices, [this, request](const PlannedSlice& slice) {
      return planned_[slice.sequence]->request == request;
    });
    return Fail(request, done.status());
  }
  if (*done) {
    observer_->OnImageEncoded(std::exchange(request->image_time, absl::ZeroDuration()));
  }
}

EngineStats Stepper::stats() const {
  EngineStats stats = stats_;
  stats.running = static_cast<int>(running_.size());
  stats.kv_pages_used = pool_.used_pages();
  return stats;
}

}  // namespace switchboard::engine
