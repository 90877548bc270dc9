// What stop signals do to a process: the first one asks it to stop, sooner or later ones end it.
#ifndef SWITCHBOARD_RPC_STOP_WATCHER_H_
#define SWITCHBOARD_RPC_STOP_WATCHER_H_

#include <thread>

#include "base/mutex.h"

namespace switchboard::rpc {

// Takes SIGINT and SIGTERM on a thread of its own. A signal before Started is called ends the
// process at once with exit code 0: nobody is served yet. The first one afterwards ends Wait. One
// more (the process is draining) ends the process at once with exit code 128 + its number.
class StopWatcher {
 public:
  // REQUIRES: BlockStopSignals was called.
  StopWatcher();
  // Signals are left pending from now on.
  ~StopWatcher();
  StopWatcher(const StopWatcher&) = delete;
  StopWatcher& operator=(const StopWatcher&) = delete;

  void Started();
  // Until the first signal. REQUIRES: Started was called.
  void Wait();

 private:
  enum State { kStarting, kServing, kStopping, kOver };
  void Run();

  Mutex mutex_;
  CondVar changed_;
  State state_ GUARDED_BY(mutex_) = kStarting;
  std::thread thread_;
};

}  // namespace switchboard::rpc

#endif  // SWITCHBOARD_RPC_STOP_WATCHER_H_
