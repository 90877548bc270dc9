// The gateway's metrics. Names, labels and buckets are defined only here and in probe.cc; `vllm:`
// names are those that dashboards and autoscalers for vLLM read.
#ifndef SWITCHBOARD_GATEWAY_PROBE_H_
#define SWITCHBOARD_GATEWAY_PROBE_H_

#include <prometheus/counter.h>
#include <prometheus/family.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "base/mutex.h"

namespace switchboard::gateway {

// Thread-safe.
class Probe {
 public:
  // `registry` is borrowed and must outlive the probe.
  explicit Probe(prometheus::Registry* registry);
  Probe(const Probe&) = delete;
  Probe& operator=(const Probe&) = delete;

  // A request was answered with this HTTP status; 499: its client left before.
  void OnReply(absl::string_view endpoint, int status);
  // A request had members that mean nothing to us.
  void OnIgnoredFields(int count);
  // Makes the metrics of a model exist, at 0.
  void OnModel(const std::string& name) EXCLUDES(mutex_);

 private:
  // The metrics of one model, found by their labels once. They live as long as the registry.
  struct ModelMetrics {
    prometheus::Gauge *running, *waiting;
    prometheus::Counter *prompt_tokens, *generated_tokens, *successes;
    prometheus::Histogram *first_token, *between_tokens, *end_to_end, *prompt_size, *answer_size;
  };

 public:
  // One generation from the moment its prompt is known. Used by one thread. One that is destroyed
  // before OnFinished counts with its prompt and the tokens that came, but not as an answer.
  class Generation {
   public:
    // `probe` must outlive it. Times are Clock::Monotonic(); `arrived` is that of the request.
    Generation(Probe* probe, const std::string& model, absl::Duration arrived);
    ~Generation();
    Generation(const Generation&) = delete;
    Generation& operator=(const Generation&) = delete;

    // Once. Only now does the prompt count: a refused one is sent again.
    void OnAccepted(int64_t prompt_tokens);
    // The worker sent so many tokens of a choice.
    void OnTokens(int64_t count, absl::Duration now);
    // A choice was ended by a token, which was generated too and is in no OnTokens.
    void OnStopToken();
    // The answer is complete. `completion_tokens` are those of its usage: without what the worker
    // generated beyond a stop string.
    void OnFinished(int64_t completion_tokens, absl::Duration now);

   private:
    const ModelMetrics& metrics_;
    const absl::Duration arrived_;
    prometheus::Gauge* gauge_;  // the one that counts it now
    std::optional<absl::Duration> last_tokens_;
  };

 private:
  // Lives as long as the probe.
  const ModelMetrics& MetricsOf(const std::string& model) EXCLUDES(mutex_);

  prometheus::Registry& registry_;
  prometheus::Family<prometheus::Counter>& replies_;
  prometheus::Counter& ignored_fields_;

  Mutex mutex_;
  std::map<std::string, ModelMetrics> models_ GUARDED_BY(mutex_);  // a map: items do not move
};

}  // namespace switchboard::gateway

#endif  // SWITCHBOARD_GATEWAY_PROBE_H_
