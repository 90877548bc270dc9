// SIGINT and SIGTERM as something that main can wait for.
#ifndef SWITCHBOARD_BASE_STOP_SIGNAL_H_
#define SWITCHBOARD_BASE_STOP_SIGNAL_H_

namespace switchboard {

// Blocks SIGINT and SIGTERM in this thread and in all that it starts later, and ignores SIGPIPE.
// Call once, before any thread exists.
void BlockStopSignals();

// Waits for SIGINT or SIGTERM and returns its number. REQUIRES: BlockStopSignals was called.
int WaitForStopSignal();

}  // namespace switchboard

#endif  // SWITCHBOARD_BASE_STOP_SIGNAL_H_
