#include "worker/probe.h"

#include <utility>
#include <vector>

namespace switchboard::worker {
namespace {

using prometheus::Histogram;
using prometheus::Labels;
using prometheus::Registry;

// Upper bounds in seconds, from a tenth of a millisecond to minutes.
const Histogram::BucketBoundaries& Seconds() {
  static const auto* const bounds = new Histogram::BucketBoundaries{
      0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100};
  return *bounds;
}

Histogram& MakeHistogram(Registry* registry, const Labels& labels, const char* name,
                         const char* help) {
  return prometheus::BuildHistogram().Name(name).Help(help).Labels(labels).Register(*registry).Add(
      {}, Seconds());
}

prometheus::Counter& MakeCounter(Registry* registry, const Labels& labels, const char* name,
                                 const char* help, const Labels& more = {}) {
  return prometheus::BuildCounter().Name(name).Help(help).Labels(labels).Register(*registry).Add(
      more);
}

prometheus::Gauge& MakeGauge(Registry* registry, const Labels& labels, const char* name,
                             const char* help) {
  return prometheus::BuildGauge().Name(name).Help(help).Labels(labels).Register(*registry).Add({});
}

}  // namespace

// What the engine counts or holds is read when it is asked for: no scrape sees a stale value.
class WorkerProbe::RefreshingRegistry final : public Registry {
 public:
  explicit RefreshingRegistry(const std::string& model_name)
      : labels({{"model_name", model_name}}),
        running_(MakeGauge(this, labels, "vllm:num_requests_running", "Choices being computed.")),
        waiting_(MakeGauge(this, labels, "vllm:num_requests_waiting", "Requests not started yet.")),
        kv_usage_(MakeGauge(this, labels, "vllm:kv_cache_usage_perc",
                            "Share of KV pages in use, 0 to 1.")),
        steps_(MakeGauge(this, labels, "switchboard_worker_engine_steps", "Engine steps so far.")),
        generation_tokens_(MakeCounter(this, labels, "vllm:generation_tokens_total",
                                       "Tokens chosen, stop tokens and those of cancelled "
                                       "requests included.")) {}

  std::vector<prometheus::MetricFamily> Collect() const override {
    if (std::function<engine::EngineStats()> stats = Stats()) {
      const engine::EngineStats now = stats();
      running_.Set(now.running);
      waiting_.Set(now.waiting);
      kv_usage_.Set(now.kv_pages == 0 ? 0.0 : 1.0 * now.kv_pages_used / now.kv_pages);
      steps_.Set(static_cast<double>(now.steps));
      CountTokens(now.generated_tokens);
    }
    return Registry::Collect();
  }

  void SetStats(std::function<engine::EngineStats()> stats) {
    MutexLock lock(&mutex_);
    stats_ = std::move(stats);
  }

  const Labels labels;

 private:
  std::function<engine::EngineStats()> Stats() const {
    MutexLock lock(&mutex_);
    return stats_;
  }

  // Brings the counter to `total`; scrapes may run at once and out of order.
  void CountTokens(uint64_t total) const {
    MutexLock lock(&mutex_);
    if (total <= counted_tokens_) return;
    generation_tokens_.Increment(static_cast<double>(total - counted_tokens_));
    counted_tokens_ = total;
  }

  prometheus::Gauge& running_;
  prometheus::Gauge& waiting_;
  prometheus::Gauge& kv_usage_;
  prometheus::Gauge& steps_;
  prometheus::Counter& generation_tokens_;
  mutable Mutex mutex_;
  mutable uint64_t counted_tokens_ GUARDED_BY(mutex_) = 0;
  std::function<engine::EngineStats()> stats_ GUARDED_BY(mutex_);
};

WorkerProbe::WorkerProbe(const std::string& model_name, std::function<void()> on_step)
    : registry_(std::make_unique<RefreshingRegistry>(model_name)),
      on_step_(std::move(on_step)),
      queue_seconds_(MakeHistogram(registry_.get(), registry_->labels,
                                   "vllm:request_queue_time_seconds",
                                   "From submission to a place in the batch.")),
      ttft_seconds_(MakeHistogram(registry_.get(), registry_->labels,
                                  "vllm:time_to_first_token_seconds",
                                  "From submission to a choice's first token.")),
      inter_token_seconds_(MakeHistogram(registry_.get(), registry_->labels,
                                         "vllm:inter_token_latency_seconds",
                                         "Between two tokens of a choice.")),
      e2e_seconds_(MakeHistogram(registry_.get(), registry_->labels,
                                 "vllm:e2e_request_latency_seconds",
                                 "From submission to the end of the last choice.")),
      step_seconds_(MakeHistogram(registry_.get(), registry_->labels,
                                  "switchboard_worker_step_seconds", "One engine step.")),
      image_seconds_(MakeHistogram(registry_.get(), registry_->labels,
                                   "switchboard_worker_image_encode_seconds",
                                   "One image in the vision tower.")),
      prompt_tokens_(MakeCounter(registry_.get(), registry_->labels, "vllm:prompt_tokens_total",
                                 "Prompt tokens computed, again after a preemption too.")),
      preemptions_(MakeCounter(registry_.get(), registry_->labels, "vllm:num_preemptions_total",
                               "Sequences that gave their KV pages up to others.")),
      ended_{&MakeCounter(registry_.get(), registry_->labels, "vllm:request_success_total",
                          "Ended requests.", {{"finished_reason", "stop"}}),
             &MakeCounter(registry_.get(), registry_->labels, "vllm:request_success_total",
                          "Ended requests.", {{"finished_reason", "length"}}),
             &MakeCounter(registry_.get(), registry_->labels, "vllm:request_success_total",
                          "Ended requests.", {{"finished_reason", "abort"}}),
             &MakeCounter(registry_.get(), registry_->labels, "vllm:request_success_total",
                          "Ended requests.", {{"finished_reason", "error"}})} {}

WorkerProbe::~WorkerProbe() = default;

const prometheus::Registry& WorkerProbe::registry() const { return *registry_; }

void WorkerProbe::ReadGaugesFrom(std::function<engine::EngineStats()> stats) {
  registry_->SetStats(std::move(stats));
}

void WorkerProbe::OnStep(const engine::StepReport& report) {
  step_seconds_.Observe(absl::ToDoubleSeconds(report.duration));
  prompt_tokens_.Increment(report.prompt_tokens);
  on_step_();
}

void WorkerProbe::OnStarted(absl::Duration queued) {
  queue_seconds_.Observe(absl::ToDoubleSeconds(queued));
}

void WorkerProbe::OnFirstToken(absl::Duration since_submit) {
  ttft_seconds_.Observe(absl::ToDoubleSeconds(since_submit));
}

void WorkerProbe::OnNextToken(absl::Duration gap) {
  inter_token_seconds_.Observe(absl::ToDoubleSeconds(gap));
}

void WorkerProbe::OnPreempted() { preemptions_.Increment(); }

void WorkerProbe::OnImageEncoded(absl::Duration duration) {
  image_seconds_.Observe(absl::ToDoubleSeconds(duration));
}

void WorkerProbe::OnEnded(const engine::RequestReport& report) {
  e2e_seconds_.Observe(absl::ToDoubleSeconds(report.duration));
  ended_[report.end]->Increment();
}

}  // namespace switchboard::worker
