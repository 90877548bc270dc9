#include "base/stop_signal.h"

#include <csignal>

#include "base/check.h"

namespace switchboard {
namespace {

sigset_t StopSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  return signals;
}

}  // namespace

void BlockStopSignals() {
  const sigset_t signals = StopSignals();
  CHECK(pthread_sigmask(SIG_BLOCK, &signals, nullptr) == 0);
  CHECK(std::signal(SIGPIPE, SIG_IGN) != SIG_ERR);
}

int WaitForStopSignal() {
  const sigset_t signals = StopSignals();
  int number = 0;
  CHECK(sigwait(&signals, &number) == 0);
  return number;
}

}  // namespace switchboard
