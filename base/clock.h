// Time as a parameter: everything that looks at a clock gets one in its constructor.
#ifndef SWITCHBOARD_BASE_CLOCK_H_
#define SWITCHBOARD_BASE_CLOCK_H_

#include "absl/time/time.h"

namespace switchboard {

// Thread-safe.
class Clock {
 public:
  virtual ~Clock() = default;
  // Wall time: for stamps that people read, never for measuring.
  virtual absl::Time Now() const = 0;
  // Never goes back; counted from an arbitrary point. For durations and deadlines.
  virtual absl::Duration Monotonic() const = 0;
};

// The machine's clock; lives as long as the process.
const Clock& SystemClock();

}  // namespace switchboard

#endif  // SWITCHBOARD_BASE_CLOCK_H_
