// The worker's metrics: names, labels and buckets are defined here and nowhere else.
#ifndef SWITCHBOARD_WORKER_PROBE_H_
#define SWITCHBOARD_WORKER_PROBE_H_

#include <prometheus/counter.h>
#include <prometheus/family.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>

#include <functional>
#include <memory>
#include <string>

#include "base/mutex.h"
#include "worker/engine/observer.h"
#include "worker/engine/stats.h"

namespace switchboard::worker {

// What the engine does, as vLLM names it (label model_name) where vLLM has a name for it.
// Thread-safe; the engine calls the observer's methods.
class WorkerProbe final : public engine::EngineObserver {
 public:
  // `on_step` is called after each step, beside the metrics.
  WorkerProbe(const std::string& model_name, std::function<void()> on_step);
  ~WorkerProbe() override;

  // Where the gauges and the count of generated tokens come from, at the time of each scrape. To be
  // called once the engine exists; `stats` must work until the probe is destroyed.
  void ReadGaugesFrom(std::function<engine::EngineStats()> stats);

  const prometheus::Registry& registry() const;

  // engine::EngineObserver
  void OnStep(const engine::StepReport& report) override;
  void OnStarted(absl::Duration queued) override;
  void OnFirstToken(absl::Duration since_submit) override;
  void OnNextToken(absl::Duration gap) override;
  void OnPreempted() override;
  void OnImageEncoded(absl::Duration duration) override;
  void OnEnded(const engine::RequestReport& report) override;

 private:
  class RefreshingRegistry;

  const std::unique_ptr<RefreshingRegistry> registry_;
  const std::function<void()> on_step_;
  prometheus::Histogram& queue_seconds_;
  prometheus::Histogram& ttft_seconds_;
  prometheus::Histogram& inter_token_seconds_;
  prometheus::Histogram& e2e_seconds_;
  prometheus::Histogram& step_seconds_;
  prometheus::Histogram& image_seconds_;
  prometheus::Counter& prompt_tokens_;
  prometheus::Counter& preemptions_;
  prometheus::Counter* const ended_[4];  // by engine::RequestReport::End
};

}  // namespace switchboard::worker

#endif  // SWITCHBOARD_WORKER_PROBE_H_
