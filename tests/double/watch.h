// One Watch call of the double.
#ifndef SWITCHBOARD_TESTS_DOUBLE_WATCH_H_
#define SWITCHBOARD_TESTS_DOUBLE_WATCH_H_

#include <grpcpp/support/server_callback.h>

#include <functional>
#include <memory>

#include "absl/time/time.h"
#include "base/mutex.h"
#include "base/thread_annotations.h"
#include "switchboard/v1/worker.pb.h"
#include "tests/double/load.h"
#include "tests/double/ticker.h"

namespace switchboard::doubles {

// Reports at once, then when the load has changed, looked at every 20 ms, and every second. Keeps
// itself alive until the call is over.
class Watch final : public grpc::ServerWriteReactor<v1::WorkerReport>,
                    public std::enable_shared_from_this<Watch> {
 public:
  // `base`: a report without load; its models are sent in the first one. `draining` is asked for
  // each report.
  Watch(v1::WorkerReport base, const Load* load, Ticker* ticker, std::function<bool()> draining);

  void Begin();  // once, before the handler returns
  void OnWriteDone(bool ok) override;
  void OnCancel() override;
  void OnDone() override;

 private:
  void Look() EXCLUDES(mutex_);
  void LookAgain();
  void End() EXCLUDES(mutex_);

  const Load* const load_;
  Ticker* const ticker_;
  const std::function<bool()> draining_;
  std::shared_ptr<Watch> self_;  // until OnDone

  Mutex mutex_;
  v1::WorkerReport report_;  // of whoever set busy_
  Load::Counts last_ GUARDED_BY(mutex_);
  bool was_draining_ GUARDED_BY(mutex_) = false;
  absl::Duration last_time_ GUARDED_BY(mutex_) = -absl::InfiniteDuration();
  bool busy_ GUARDED_BY(mutex_) = false;
  bool ending_ GUARDED_BY(mutex_) = false;
  bool ended_ GUARDED_BY(mutex_) = false;
};

}  // namespace switchboard::doubles

#endif  // SWITCHBOARD_TESTS_DOUBLE_WATCH_H_
