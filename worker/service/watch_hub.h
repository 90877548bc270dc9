// Load reports: one thread that tells every watching router what the engine is doing.
#ifndef SWITCHBOARD_WORKER_SERVICE_WATCH_HUB_H_
#define SWITCHBOARD_WORKER_SERVICE_WATCH_HUB_H_

#include <grpcpp/support/server_callback.h>

#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "base/mutex.h"
#include "switchboard/v1/worker.pb.h"

namespace switchboard::worker {

class WatchStream;

// Thread-safe. Sends a report at once when somebody starts to watch, within 20 ms of
// NotifyChange(), and at least every second.
class WatchHub {
 public:
  // `report` makes the current report and is called from several threads; `first` is added to
  // whichever report is a watcher's first one.
  WatchHub(std::function<v1::WorkerReport()> report, v1::WorkerReport first);
  // REQUIRES: the gRPC server that asked for streams has been stopped.
  ~WatchHub();
  WatchHub(const WatchHub&) = delete;
  WatchHub& operator=(const WatchHub&) = delete;

  // A reactor for one Watch call; the hub keeps it until the call is over.
  grpc::ServerWriteReactor<v1::WorkerReport>* NewStream();

  // The load has changed. Cheap: for the engine thread, after each step.
  void NotifyChange();

  // Tells every watch to end with UNAVAILABLE and refuses new ones. Does not wait for them: a
  // router that does not read holds its stream until the gRPC server's own stop cancels it. Later
  // calls do nothing.
  void Stop();

 private:
  friend class WatchStream;
  void Run();
  void Remove(WatchStream* stream);
  std::vector<std::shared_ptr<WatchStream>> Streams();

  const std::function<v1::WorkerReport()> report_;
  const v1::WorkerReport first_;

  Mutex mutex_;
  CondVar changed_;  // dirty_ or stopping_
  CondVar stopped_;  // stopping_
  absl::flat_hash_map<WatchStream*, std::shared_ptr<WatchStream>> streams_ GUARDED_BY(mutex_);
  bool dirty_ GUARDED_BY(mutex_) = false;
  bool stopping_ GUARDED_BY(mutex_) = false;
  std::thread thread_;  // set by the constructor, joined by Stop
};

}  // namespace switchboard::worker

#endif  // SWITCHBOARD_WORKER_SERVICE_WATCH_HUB_H_
