// One Generate call of the double: max_tokens stamps per choice, one per interval.
#ifndef SWITCHBOARD_TESTS_DOUBLE_GENERATION_H_
#define SWITCHBOARD_TESTS_DOUBLE_GENERATION_H_

#include <grpcpp/support/server_callback.h>

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "absl/time/time.h"
#include "base/mutex.h"
#include "base/thread_annotations.h"
#include "switchboard/v1/inference.pb.h"
#include "tests/double/faults.h"
#include "tests/double/load.h"
#include "tests/double/ticker.h"

namespace switchboard::doubles {

// What a generation needs around it; all of it outlives the generation.
struct GenerationHost {
  std::string worker;
  std::string fingerprint;
  Load* load = nullptr;
  Ticker* ticker = nullptr;
  std::function<void()> die;
};

// Keeps itself alive until the call is over.
class Generation final : public grpc::ServerWriteReactor<v1::GenerateEvent>,
                         public std::enable_shared_from_this<Generation> {
 public:
  // `interval`: between tokens; zero: each follows as soon as the one before is written. The
  // request is read during the call only.
  Generation(const GenerationHost* host, uint64_t id, const v1::GenerateRequest& request,
             absl::Duration interval, const Faults& faults);

  // Once, before the handler returns.
  void Begin();

  void OnWriteDone(bool ok) override;
  void OnCancel() override;
  void OnDone() override;

 private:
  void Accept() EXCLUDES(mutex_);
  void End(grpc::Status status) EXCLUDES(mutex_);
  // Produces what is due when nothing waits to be written.
  void Produce() REQUIRES(mutex_);
  void ProduceStep() REQUIRES(mutex_);
  // True when a fault strikes before token `sent_`.
  bool Strike() REQUIRES(mutex_);
  void Advance() EXCLUDES(mutex_);
  void WakeAt(absl::Duration when);

  const GenerationHost* const host_;
  const uint64_t id_;
  const int32_t choices_;
  const int32_t max_tokens_;
  const absl::Duration interval_;
  const Faults faults_;
  std::shared_ptr<Generation> self_;  // until OnDone

  Mutex mutex_;
  std::deque<v1::GenerateEvent> waiting_ GUARDED_BY(mutex_);
  v1::GenerateEvent writing_;  // of whoever set busy_
  std::optional<grpc::Status> finish_ GUARDED_BY(mutex_);
  absl::Duration due_ GUARDED_BY(mutex_);  // of the next token
  int32_t sent_ GUARDED_BY(mutex_) = 0;    // tokens per choice
  bool accepted_ GUARDED_BY(mutex_) = false;
  bool busy_ GUARDED_BY(mutex_) = false;
  bool hung_ GUARDED_BY(mutex_) = false;
};

}  // namespace switchboard::doubles

#endif  // SWITCHBOARD_TESTS_DOUBLE_GENERATION_H_
