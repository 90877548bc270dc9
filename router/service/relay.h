// One request as the shell carries it: the client's stream, the attempts on workers, and the
// stopwatch.
#ifndef SWITCHBOARD_ROUTER_SERVICE_RELAY_H_
#define SWITCHBOARD_ROUTER_SERVICE_RELAY_H_

#include <functional>
#include <memory>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/time/time.h"
#include "base/clock.h"
#include "router/core/command.h"
#include "router/probe.h"
#include "router/service/attempt_stream.h"
#include "router/service/client_stream.h"

namespace switchboard::router {

// Carries out the core's commands for one request. Used by one thread at a time, without locks
// held.
class Relay {
 public:
  struct Surroundings {
    const Clock* clock;
    Probe* probe;
    // The stub of a worker, valid as long as the relay.
    std::function<v1::Inference::Stub*(WorkerIndex)> stub;
    // What to tell the core of an attempt's events.
    std::function<AttemptStream::Listener(AttemptKey)> listener;
  };

  // `client` lives until its Finish; `request` is sent to workers as it is, with an attempt id.
  Relay(const Surroundings& surroundings, ClientStream* client, v1::GenerateRequest request);

  void Carry(Command command);
  // The client's call has ended and so has every attempt: no command will follow.
  bool AtRest() const { return client_ == nullptr && attempts_.empty(); }

 private:
  void Do(const StartAttempt& start);
  void Do(ReadAttempt read);
  void Do(CancelAttempt cancel);
  void Do(ForgetAttempt forget);
  void Do(Forward forward);
  void Do(const struct Finish& finish);
  void Time(const StreamEvent& event);
  void Release();
  void LogEnd(const absl::Status& status) const;

  const Surroundings surroundings_;
  ClientStream* client_;         // null after Finish
  v1::GenerateRequest request_;  // empty when no attempt can follow any more
  const std::string request_id_;
  absl::flat_hash_map<AttemptKey, std::unique_ptr<AttemptStream>> attempts_;
  const absl::Duration arrived_;
  absl::Duration last_token_;  // zero: none yet
};

}  // namespace switchboard::router

#endif  // SWITCHBOARD_ROUTER_SERVICE_RELAY_H_
