// A router with doubles behind it, and clients in front.
#ifndef SWITCHBOARD_TESTS_INTEGRATION_ROUTER_HARNESS_H_
#define SWITCHBOARD_TESTS_INTEGRATION_ROUTER_HARNESS_H_

#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>
#include <prometheus/registry.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "router/probe.h"
#include "router/service/router.h"
#include "switchboard/v1/inference.grpc.pb.h"
#include "tests/double/double_worker.h"

namespace switchboard::router {

// Asks again and again until `condition` holds; false after 30 s.
bool Eventually(const std::function<bool()>& condition);

// A request whose prompt is `prompt` as byte tokens. `interval_us`: between the double's tokens.
v1::GenerateRequest RequestFor(const std::string& prompt, int max_tokens, uint64_t interval_us = 0,
                               int choices = 1);

// What a client saw of a stream.
struct Seen {
  absl::Status status;
  std::optional<absl::Duration> retry_after;
  int accepted = 0;
  std::string worker;
  std::vector<std::vector<int32_t>> tokens;  // per choice
  std::vector<bool> finished;
  std::string fault;  // first breach of the protocol; empty: none
};

// One Generate call, read step by step.
class Call {
 public:
  Call(v1::Inference::Stub* stub, const v1::GenerateRequest& request);
  ~Call();
  // False when the stream is over.
  bool Next();
  // Reads until `tokens` tokens of choice 0 have been seen; false when the stream ends before.
  bool ReadTokens(size_t tokens);
  void Cancel() { context_.TryCancel(); }
  // Reads to the end.
  const Seen& Finish();
  const Seen& seen() const { return seen_; }

 private:
  void Take(const v1::GenerateEvent& event);

  grpc::ClientContext context_;
  std::unique_ptr<grpc::ClientReader<v1::GenerateEvent>> reader_;
  Seen seen_;
  bool over_ = false;
};

// That many doubles as they are by default.
inline std::vector<doubles::DoubleOptions> Workers(size_t count) {
  return std::vector<doubles::DoubleOptions>(count);
}

class Cluster {
 public:
  // Starts the doubles, named "a", "b", ...; nothing else is changed in their options.
  explicit Cluster(std::vector<doubles::DoubleOptions> workers, CoreOptions core = {});
  ~Cluster();

  v1::Inference::Stub* stub() { return stub_.get(); }
  Router& router() { return *router_; }
  doubles::DoubleWorker& worker(size_t i) { return *workers_[i]; }

  // Like kill -9.
  void KillWorker(size_t i) { workers_[i].reset(); }
  doubles::DoubleOptions& options(size_t i) { return options_[i]; }  // for a restart
  // Another process on the same address.
  void RestartWorker(size_t i);
  // The value of a metric without labels.
  double Metric(const std::string& name) const;

 private:
  std::string folder_ = ::testing::TempDir() + "clusterXXXXXX";  // of the workers' sockets
  std::vector<doubles::DoubleOptions> options_;
  std::vector<std::unique_ptr<doubles::DoubleWorker>> workers_;
  prometheus::Registry registry_;
  std::unique_ptr<Probe> probe_;
  std::unique_ptr<Router> router_;
  std::unique_ptr<v1::Inference::Stub> stub_;
};

}  // namespace switchboard::router

#endif  // SWITCHBOARD_TESTS_INTEGRATION_ROUTER_HARNESS_H_
