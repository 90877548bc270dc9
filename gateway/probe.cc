#include "gateway/probe.h"

#include "absl/strings/str_cat.h"

namespace switchboard::gateway {
namespace {

using Labels = prometheus::Labels;
using Buckets = prometheus::Histogram::BucketBoundaries;

// Seconds until the first token and between tokens; seconds of whole answers; tokens.
const Buckets& FirstTokenBuckets() {
  static const Buckets* const buckets = new Buckets{
      0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10, 20, 40, 80};
  return *buckets;
}
const Buckets& BetweenTokensBuckets() {
  static const Buckets* const buckets =
      new Buckets{0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.5, 1, 2.5};
  return *buckets;
}
const Buckets& EndToEndBuckets() {
  static const Buckets* const buckets =
      new Buckets{0.1, 0.3, 0.5, 0.8, 1, 1.5, 2, 2.5, 5, 10, 15, 20, 30, 40, 60, 120, 240, 480};
  return *buckets;
}
const Buckets& TokenBuckets() {
  static const Buckets* const buckets =
      new Buckets{1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 20000, 50000};
  return *buckets;
}

// A family that is registered already is found again: the registry merges by name.
template <typename Builder>
auto& Build(Builder builder, const char* name, const char* help, prometheus::Registry* registry) {
  return builder.Name(name).Help(help).Register(*registry);
}

prometheus::Family<prometheus::Counter>& Counters(const char* name, const char* help,
                                                  prometheus::Registry* registry) {
  return Build(prometheus::BuildCounter(), name, help, registry);
}

prometheus::Counter* CounterOf(const Labels& labels, const char* name, const char* help,
                               prometheus::Registry* registry) {
  return &Counters(name, help, registry).Add(labels);
}
prometheus::Gauge* GaugeOf(const Labels& labels, const char* name, const char* help,
                           prometheus::Registry* registry) {
  return &Build(prometheus::BuildGauge(), name, help, registry).Add(labels);
}
prometheus::Histogram* HistogramOf(const Labels& labels, const Buckets& buckets, const char* name,
                                   const char* help, prometheus::Registry* registry) {
  return &Build(prometheus::BuildHistogram(), name, help, registry).Add(labels, buckets);
}

}  // namespace

Probe::Probe(prometheus::Registry* registry)
    : registry_(*registry),
      replies_(Counters("switchboard_gateway_requests_total",
                        "Requests answered, by endpoint and HTTP status (499: the client left).",
                        registry)),
      ignored_fields_(Counters("switchboard_gateway_ignored_fields_total",
                               "Members of requests that mean nothing to this server.", registry)
                          .Add({})) {}

void Probe::OnReply(absl::string_view endpoint, int status) {
  replies_.Add({{"endpoint", std::string(endpoint)}, {"status", absl::StrCat(status)}}).Increment();
}

void Probe::OnIgnoredFields(int count) { ignored_fields_.Increment(count); }

void Probe::OnModel(const std::string& name) { MetricsOf(name); }

const Probe::ModelMetrics& Probe::MetricsOf(const std::string& model) {
  MutexLock lock(&mutex_);
  const auto known = models_.find(model);
  if (known != models_.end()) return known->second;
  const Labels labels = {{"model_name", model}};
  ModelMetrics metrics;
  metrics.running = GaugeOf(labels, "vllm:num_requests_running",
                            "Requests accepted by a worker and not ended.", &registry_);
  metrics.waiting = GaugeOf(labels, "vllm:num_requests_waiting",
                            "Requests that no worker has accepted yet.", &registry_);
  metrics.prompt_tokens = CounterOf(labels, "vllm:prompt_tokens_total",
                                    "Tokens of prompts that a worker accepted.", &registry_);
  metrics.generated_tokens =
      CounterOf(labels, "vllm:generation_tokens_total",
                "Tokens that came from workers, of unfinished answers too.", &registry_);
  metrics.successes =
      CounterOf(labels, "vllm:request_success_total", "Answers that were completed.", &registry_);
  metrics.first_token = HistogramOf(labels, FirstTokenBuckets(), "vllm:time_to_first_token_seconds",
                                    "From the request to its first token.", &registry_);
  metrics.between_tokens =
      HistogramOf(labels, BetweenTokensBuckets(), "vllm:inter_token_latency_seconds",
                  "Between the tokens of an answer.", &registry_);
  metrics.end_to_end = HistogramOf(labels, EndToEndBuckets(), "vllm:e2e_request_latency_seconds",
                                   "From the request to the end of its answer.", &registry_);
  metrics.prompt_size = HistogramOf(labels, TokenBuckets(), "vllm:request_prompt_tokens",
                                    "Prompt tokens of accepted requests.", &registry_);
  metrics.answer_size = HistogramOf(labels, TokenBuckets(), "vllm:request_generation_tokens",
                                    "Completion tokens of completed answers.", &registry_);
  return models_.emplace(model, metrics).first->second;
}

Probe::Generation::Generation(Probe* probe, const std::string& model, absl::Duration arrived)
    : metrics_(probe->MetricsOf(model)), arrived_(arrived), gauge_(metrics_.waiting) {
  gauge_->Increment();
}

Probe::Generation::~Generation() { gauge_->Decrement(); }

void Probe::Generation::OnAccepted(int64_t prompt_tokens) {
  gauge_->Decrement();
  gauge_ = metrics_.running;
  gauge_->Increment();
  metrics_.prompt_tokens->Increment(static_cast<double>(prompt_tokens));
  metrics_.prompt_size->Observe(static_cast<double>(prompt_tokens));
}

void Probe::Generation::OnTokens(int64_t count, absl::Duration now) {
  metrics_.generated_tokens->Increment(static_cast<double>(count));
  if (last_tokens_.has_value()) {
    metrics_.between_tokens->Observe(absl::ToDoubleSeconds(now - *last_tokens_));
  } else {
    metrics_.first_token->Observe(absl::ToDoubleSeconds(now - arrived_));
  }
  last_tokens_ = now;
}

void Probe::Generation::OnStopToken() { metrics_.generated_tokens->Increment(); }

void Probe::Generation::OnFinished(int64_t completion_tokens, absl::Duration now) {
  metrics_.answer_size->Observe(static_cast<double>(completion_tokens));
  metrics_.end_to_end->Observe(absl::ToDoubleSeconds(now - arrived_));
  metrics_.successes->Increment();
}

}  // namespace switchboard::gateway
