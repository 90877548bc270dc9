// The gateway's metrics. Names, labels and buckets are defined only here and in probe.cc; `vllm:`
// names are those that dashboards and autoscalers for vLLM read.
#ifndef SWITCHBOARD_GATEWAY_PROBE_H_
#define SWITCHBOARD_GATEWAY_PROBE_H_

#include <prometheus/counter.h>
#include <prometheus/family.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>

#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"

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
  // Makes the gauges of a model exist, at 0.
  void OnModel(const std::string& name);

  // One generation from the moment its prompt is known. Used by one thread. What has not ended when
  // it is destroyed counts as abandoned.
  class Generation {
   public:
    // `probe` must outlive it. Times are Clock::Monotonic(); `arrived` is that of the request.
    Generation(Probe* probe, const std::string& model, int64_t prompt_tokens,
               absl::Duration arrived);
    ~Generation();
    Generation(const Generation&) = delete;
    Generation& operator=(const Generation&) = delete;

    void OnAccepted();
    // New text, or what stands for it.
    void OnTokens(absl::Duration now);
    void OnFinished(int64_t completion_tokens, absl::Duration now);

   private:
    Probe& probe_;
    const std::string model_;
    const absl::Duration arrived_;
    prometheus::Gauge* gauge_;  // the one that counts it now
    std::optional<absl::Duration> last_tokens_;
  };

 private:
  using Histograms = prometheus::Family<prometheus::Histogram>;

  prometheus::Family<prometheus::Counter>& replies_;
  prometheus::Counter& ignored_fields_;
  prometheus::Family<prometheus::Gauge>&running_, &waiting_;
  prometheus::Family<prometheus::Counter>&prompt_tokens_, &generated_tokens_, &successes_;
  Histograms &first_token_, &between_tokens_, &end_to_end_, &prompt_sizes_, &answer_sizes_;
};

}  // namespace switchboard::gateway

#endif  // SWITCHBOARD_GATEWAY_PROBE_H_
