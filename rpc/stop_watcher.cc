#include "rpc/stop_watcher.h"

#include <csignal>
#include <cstdlib>

#include "base/check.h"
#include "base/log.h"
#include "base/stop_signal.h"

namespace switchboard::rpc {

StopWatcher::StopWatcher() : thread_([this] { Run(); }) {}

StopWatcher::~StopWatcher() {
  {
    MutexLock lock(&mutex_);
    state_ = kOver;
  }
  // To that thread alone, which may not have come to its wait yet: the signal stays pending for it.
  CHECK(pthread_kill(thread_.native_handle(), SIGTERM) == 0);
  thread_.join();
}

void StopWatcher::Started() {
  MutexLock lock(&mutex_);
  CHECK(state_ == kStarting);
  state_ = kServing;
}

void StopWatcher::Wait() {
  MutexLock lock(&mutex_);
  while (state_ == kServing) changed_.Wait(&mutex_);
}

void StopWatcher::Run() {
  for (;;) {
    const int number = WaitForStopSignal();
    MutexLock lock(&mutex_);
    switch (state_) {
      case kOver:
        return;
      case kStarting:
        LOG(INFO) << "stopped while starting";
        std::_Exit(EXIT_SUCCESS);
      case kServing:
        state_ = kStopping;
        changed_.NotifyAll();
        break;
      case kStopping:
        LOG(WARNING) << "asked again to stop: running answers are cut";
        std::_Exit(128 + number);
    }
  }
}

}  // namespace switchboard::rpc
