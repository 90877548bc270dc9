// A worker without a model: it speaks the whole protocol, and what it says is known in advance,
// exactly max_tokens tokens per choice, one each `seed` microseconds, each the time at which it was
// sent.
#ifndef SWITCHBOARD_TESTS_DOUBLE_DOUBLE_WORKER_H_
#define SWITCHBOARD_TESTS_DOUBLE_DOUBLE_WORKER_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "rpc/address.h"
#include "tests/double/faults.h"
#include "tests/double/load.h"

namespace switchboard::doubles {

struct DoubleOptions {
  rpc::Address listen = {"127.0.0.1", 0, ""};
  std::vector<std::string> models = {"double"};  // names, at least one
  std::string name = "double";                   // of the worker
  std::string fingerprint = "double-1";
  int max_running = 64;   // choices at once
  int max_waiting = 64;   // requests
  int context = 1 << 20;  // tokens
  // Between tokens for seeds above 10,000,000, which are those that a gateway draws.
  absl::Duration default_interval;
  Faults faults;            // of every request
  bool hang_cards = false;  // GetModelCard is answered when the caller gives up
  // What [[die-after N]] does; null: the process exits with code 42.
  std::function<void()> die;
};

// Serves from Start to Stop or destruction. Thread-safe, but for Stop.
class DoubleWorker {
 public:
  // Unavailable, with the reason, when the address cannot be listened on.
  static absl::StatusOr<std::unique_ptr<DoubleWorker>> Start(DoubleOptions options);
  // Drops all calls at once, like a process that is killed.
  ~DoubleWorker();

  // With the real port.
  const rpc::Address& address() const;
  Load::Counts counts() const;
  int card_calls() const;  // of GetModelCard
  // From now on reports say so; requests are still served.
  void SetDraining(bool draining);
  // Running calls may end within `grace`.
  void Stop(absl::Duration grace);

 private:
  class Core;
  explicit DoubleWorker(std::unique_ptr<Core> core);
  const std::unique_ptr<Core> core_;
};

}  // namespace switchboard::doubles

#endif  // SWITCHBOARD_TESTS_DOUBLE_DOUBLE_WORKER_H_
