// The router's metrics: every name, label and bucket is here.
#ifndef SWITCHBOARD_ROUTER_PROBE_H_
#define SWITCHBOARD_ROUTER_PROBE_H_

#include <prometheus/counter.h>
#include <prometheus/family.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>

#include <array>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"

namespace switchboard::router {

// Thread-safe.
class Probe {
 public:
  // `registry` must outlive the probe. `workers`: their addresses, in order.
  Probe(prometheus::Registry* registry, const std::vector<std::string>& workers);

  // A client's call is over, `duration` after it came.
  void RequestEnded(absl::StatusCode code, absl::Duration duration);
  // From the arrival of a request to its first token.
  void FirstToken(absl::Duration delay);
  // Per token, from one event of a request to the next.
  void NextToken(absl::Duration gap);

  // `number`: of the request's attempts, from 1.
  void AttemptStarted(int number);
  void AttemptEnded(absl::StatusCode code);

  void SetLoad(size_t running, size_t waiting, size_t held_bytes);
  void SetWorkerUp(int worker, bool up);

 private:
  static constexpr size_t kCodes = 17;  // of gRPC
  using CodeCounters = std::array<prometheus::Counter*, kCodes>;

  static CodeCounters PerCode(prometheus::Family<prometheus::Counter>* family);

  const CodeCounters requests_;
  const CodeCounters attempts_;
  prometheus::Counter* const retries_;
  prometheus::Histogram* const request_seconds_;
  prometheus::Histogram* const first_token_seconds_;
  prometheus::Histogram* const next_token_seconds_;
  prometheus::Gauge* const running_;
  prometheus::Gauge* const waiting_;
  prometheus::Gauge* const held_bytes_;
  std::vector<prometheus::Gauge*> workers_up_;
};

}  // namespace switchboard::router

#endif  // SWITCHBOARD_ROUTER_PROBE_H_
