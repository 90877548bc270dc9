// What the core wants done. The shell carries commands out in the order in which they were given,
// at least among those of one request.
#ifndef SWITCHBOARD_ROUTER_CORE_COMMAND_H_
#define SWITCHBOARD_ROUTER_CORE_COMMAND_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "router/core/stream.h"

namespace switchboard::router {

using RequestKey = uint64_t;  // ascending in order of arrival
using AttemptKey = uint64_t;
using WorkerIndex = int;  // place in the list of workers

// Call Generate on a worker and read its first event. The attempt exists from here to
// ForgetAttempt.
struct StartAttempt {
  AttemptKey attempt = 0;
  WorkerIndex worker = 0;
  std::string attempt_id;  // "INCARNATION/NUMBER", for logs
  int number = 1;          // of this request's attempts, from 1
};

// Read one more event. Never given while a read is under way.
struct ReadAttempt {
  AttemptKey attempt = 0;
};

// Stop the work; the attempt still ends with an AttemptEnded.
struct CancelAttempt {
  AttemptKey attempt = 0;
};

// Last command of an attempt.
struct ForgetAttempt {
  AttemptKey attempt = 0;
};

// Send to the client, and say ClientWrote with the same number of bytes when that is done.
struct Forward {
  StreamEvent event;
  size_t bytes = 0;
};

// End the client's call when all that was forwarded is sent. Exactly once per request; only
// commands of its attempts follow.
struct Finish {
  absl::Status status;
  absl::Duration retry_after;  // zero: nothing to say
};

struct Command {
  RequestKey request = 0;
  std::variant<StartAttempt, ReadAttempt, CancelAttempt, ForgetAttempt, Forward, Finish> action;
};

}  // namespace switchboard::router

#endif  // SWITCHBOARD_ROUTER_CORE_COMMAND_H_
