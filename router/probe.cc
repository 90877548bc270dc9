#include "router/probe.h"

#include <algorithm>

#include "absl/strings/ascii.h"

namespace switchboard::router {
namespace {

using prometheus::BuildCounter;
using prometheus::BuildGauge;
using prometheus::BuildHistogram;

const prometheus::Histogram::BucketBoundaries kLongSeconds = {
    0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 40, 80, 160};
const prometheus::Histogram::BucketBoundaries kShortSeconds = {
    0.0005, 0.001, 0.0025, 0.005, 0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 5};

}  // namespace

Probe::CodeCounters Probe::PerCode(prometheus::Family<prometheus::Counter>* family) {
  CodeCounters counters;
  for (size_t code = 0; code < kCodes; ++code) {
    const std::string name = absl::StatusCodeToString(static_cast<absl::StatusCode>(code));
    counters[code] = &family->Add({{"code", absl::AsciiStrToLower(name)}});
  }
  return counters;
}

Probe::Probe(prometheus::Registry* registry, const std::vector<std::string>& workers)
    : requests_(PerCode(&BuildCounter()
                             .Name("switchboard_router_requests_total")
                             .Help("Client calls that ended, by status code")
                             .Register(*registry))),
      attempts_(PerCode(&BuildCounter()
                             .Name("switchboard_router_attempts_total")
                             .Help("Calls to workers that ended, by status code")
                             .Register(*registry))),
      retries_(&BuildCounter()
                    .Name("switchboard_router_retries_total")
                    .Help("Calls to workers that replaced a failed one")
                    .Register(*registry)
                    .Add({})),
      request_seconds_(&BuildHistogram()
                            .Name("switchboard_router_request_seconds")
                            .Help("From the arrival of a call to its end")
                            .Register(*registry)
                            .Add({}, kLongSeconds)),
      first_token_seconds_(&BuildHistogram()
                                .Name("switchboard_router_time_to_first_token_seconds")
                                .Help("From the arrival of a call to its first token")
                                .Register(*registry)
                                .Add({}, kLongSeconds)),
      next_token_seconds_(&BuildHistogram()
                               .Name("switchboard_router_inter_token_seconds")
                               .Help("From one token of a call to the next")
                               .Register(*registry)
                               .Add({}, kShortSeconds)),
      running_(&BuildGauge()
                    .Name("switchboard_router_requests_running")
                    .Help("Requests on a worker")
                    .Register(*registry)
                    .Add({})),
      waiting_(&BuildGauge()
                    .Name("switchboard_router_requests_waiting")
                    .Help("Requests in the queue")
                    .Register(*registry)
                    .Add({})),
      held_bytes_(&BuildGauge()
                       .Name("switchboard_router_held_bytes")
                       .Help("Bytes of the requests without a token, waiting or on a worker")
                       .Register(*registry)
                       .Add({})) {
  auto& up = BuildGauge()
                 .Name("switchboard_router_worker_up")
                 .Help("1 while the worker reports")
                 .Register(*registry);
  for (const std::string& worker : workers) workers_up_.push_back(&up.Add({{"worker", worker}}));
}

void Probe::RequestEnded(absl::StatusCode code, absl::Duration duration) {
  requests_[static_cast<size_t>(code)]->Increment();
  request_seconds_->Observe(absl::ToDoubleSeconds(duration));
}

void Probe::FirstToken(absl::Duration delay) {
  first_token_seconds_->Observe(absl::ToDoubleSeconds(delay));
}

void Probe::NextToken(absl::Duration gap) {
  next_token_seconds_->Observe(absl::ToDoubleSeconds(gap));
}

void Probe::AttemptStarted(int number) {
  if (number > 1) retries_->Increment();
}

void Probe::AttemptEnded(absl::StatusCode code) {
  attempts_[static_cast<size_t>(code)]->Increment();
}

void Probe::SetLoad(size_t running, size_t waiting, size_t held_bytes) {
  running_->Set(static_cast<double>(running));
  waiting_->Set(static_cast<double>(waiting));
  held_bytes_->Set(static_cast<double>(held_bytes));
}

void Probe::SetWorkerUp(int worker, bool up) {
  workers_up_[static_cast<size_t>(worker)]->Set(up ? 1 : 0);
}

}  // namespace switchboard::router
