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

template <typename Builder>
auto& Build(Builder builder, const char* name, const char* help, prometheus::Registry* registry) {
  return builder.Name(name).Help(help).Register(*registry);
}

auto& Counters(const char* name, const char* help, prometheus::Registry* registry) {
  return Build(prometheus::BuildCounter(), name, help, registry);
}
auto& Gauges(const char* name, const char* help, prometheus::Registry* registry) {
  return Build(prometheus::BuildGauge(), name, help, registry);
}
auto& HistogramFamily(const char* name, const char* help, prometheus::Registry* registry) {
  return Build(prometheus::BuildHistogram(), name, help, registry);
}

Labels OfModel(const std::string& model) { return {{"model_name", model}}; }

}  // namespace

Probe::Probe(prometheus::Registry* registry)
    : replies_(Counters("switchboard_gateway_requests_total",
                        "Requests answered, by endpoint and HTTP status (499: the client left).",
                        registry)),
      ignored_fields_(Counters("switchboard_gateway_ignored_fields_total",
                               "Members of requests that mean nothing to this server.", registry)
                          .Add({})),
      running_(Gauges("vllm:num_requests_running", "Requests accepted by a worker and not ended.",
                      registry)),
      waiting_(Gauges("vllm:num_requests_waiting", "Requests that no worker has accepted yet.",
                      registry)),
      prompt_tokens_(Counters("vllm:prompt_tokens_total", "Prompt tokens sent.", registry)),
      generated_tokens_(
          Counters("vllm:generation_tokens_total", "Completion tokens of answers.", registry)),
      successes_(Counters("vllm:request_success_total", "Answers that were completed.", registry)),
      first_token_(HistogramFamily("vllm:time_to_first_token_seconds",
                                   "From the request to its first token.", registry)),
      between_tokens_(HistogramFamily("vllm:inter_token_latency_seconds",
                                      "Between the tokens of an answer.", registry)),
      end_to_end_(HistogramFamily("vllm:e2e_request_latency_seconds",
                                  "From the request to the end of its answer.", registry)),
      prompt_sizes_(
          HistogramFamily("vllm:request_prompt_tokens", "Prompt tokens of requests.", registry)),
      answer_sizes_(HistogramFamily("vllm:request_generation_tokens",
                                    "Completion tokens of requests.", registry)) {}

void Probe::OnReply(absl::string_view endpoint, int status) {
  replies_.Add({{"endpoint", std::string(endpoint)}, {"status", absl::StrCat(status)}}).Increment();
}

void Probe::OnIgnoredFields(int count) { ignored_fields_.Increment(count); }

void Probe::OnModel(const std::string& name) {
  running_.Add(OfModel(name));
  waiting_.Add(OfModel(name));
}

Probe::Generation::Generation(Probe* probe, const std::string& model, int64_t prompt_tokens,
                              absl::Duration arrived)
    : probe_(*probe),
      model_(model),
      arrived_(arrived),
      gauge_(&probe->waiting_.Add(OfModel(model))) {
  gauge_->Increment();
  probe_.running_.Add(OfModel(model));
  probe_.prompt_tokens_.Add(OfModel(model)).Increment(static_cast<double>(prompt_tokens));
  probe_.prompt_sizes_.Add(OfModel(model), TokenBuckets())
      .Observe(static_cast<double>(prompt_tokens));
}

Probe::Generation::~Generation() { gauge_->Decrement(); }

void Probe::Generation::OnAccepted() {
  gauge_->Decrement();
  gauge_ = &probe_.running_.Add(OfModel(model_));
  gauge_->Increment();
}

void Probe::Generation::OnTokens(absl::Duration now) {
  if (last_tokens_.has_value()) {
    probe_.between_tokens_.Add(OfModel(model_), BetweenTokensBuckets())
        .Observe(absl::ToDoubleSeconds(now - *last_tokens_));
  } else {
    probe_.first_token_.Add(OfModel(model_), FirstTokenBuckets())
        .Observe(absl::ToDoubleSeconds(now - arrived_));
  }
  last_tokens_ = now;
}

void Probe::Generation::OnFinished(int64_t completion_tokens, absl::Duration now) {
  const Labels labels = OfModel(model_);
  probe_.generated_tokens_.Add(labels).Increment(static_cast<double>(completion_tokens));
  probe_.answer_sizes_.Add(labels, TokenBuckets()).Observe(static_cast<double>(completion_tokens));
  probe_.end_to_end_.Add(labels, EndToEndBuckets()).Observe(absl::ToDoubleSeconds(now - arrived_));
  probe_.successes_.Add(labels).Increment();
}

}  // namespace switchboard::gateway
