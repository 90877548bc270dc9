// A router's core among simulated clients and workers in virtual time. Everything that can go wrong
// does, on a schedule drawn from a seed: the same seed is the same run.
#ifndef SWITCHBOARD_TESTS_UNIT_ROUTER_SIMULATION_H_
#define SWITCHBOARD_TESTS_UNIT_ROUTER_SIMULATION_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "router/core/core.h"
#include "tests/support/manual_clock.h"

namespace switchboard::router {

// Chances are per request or per attempt, 0 to 1.
struct Faults {
  double worker_dies = 0;  // per attempt: its worker dies somewhere during it, and comes back later
  double worker_hangs =
      0;               // per attempt: its worker goes silent, later it is back as another process
  double refuses = 0;  // per attempt: ResourceExhausted
  double bad_request = 0;  // per request: InvalidArgument from whatever worker
  double client_leaves = 0;
  double client_is_slow = 0;  // takes up to 3 s per event
  double cheats = 0;          // per attempt: the worker skips or repeats a position
};

struct SimulationOptions {
  int workers = 3;
  int requests = 40;
  absl::Duration arrivals = absl::Seconds(3);  // spread over this time
  CoreOptions core;
  Faults faults;
};

// How the requests of a run ended.
struct Outcome {
  int ok = 0, lost = 0, refused = 0, invalid = 0, left = 0, broken_protocol = 0;
  int attempts = 0, retries = 0;
  std::vector<std::string> violations;  // of the invariants; must be empty
};

class Simulation {
 public:
  Simulation(SimulationOptions options, uint64_t seed);
  // Runs until every request has ended and the workers are at rest.
  Outcome Run();

 private:
  struct Client {
    RequestInfo info;
    std::vector<int> tokens;  // that each choice is to get
    bool bad = false, slow = false, leaves = false;
    int ends = 0;  // Finish commands seen
    bool left = false;
    bool accepted = false;
    std::vector<int> next;       // position due per choice
    std::vector<bool> finished;  // per choice
    size_t bytes = 0;            // forwarded, not yet taken
  };
  struct SimAttempt {
    RequestKey request = 0;
    WorkerIndex worker = 0;
    int incarnation = 0;
    bool accepted = false, cancelled = false, ended = false, cheats = false;
    int reads = 0;  // under way: 0 or 1
    std::optional<absl::Status> fails;
    std::vector<int> next;
    std::vector<bool> finished;
  };
  struct SimWorker {
    bool up = false;
    int incarnation = 0;
    bool hangs = false;
    uint64_t steps = 0;
  };

  // Virtual time.
  void At(absl::Duration delay, std::function<void()> what);
  absl::Duration Between(double low_ms, double high_ms);
  bool Chance(double p);
  int Draw(int low, int high);  // inclusive

  void Violate(const std::string& what);
  void Check();

  void StartClient(RequestKey key);
  void StartWorker(WorkerIndex worker);
  void StopWorker(WorkerIndex worker, bool hang);
  void ReportLoop(WorkerIndex worker, int incarnation);

  void Carry();  // out the core's commands
  void On(RequestKey request, const StartAttempt& start);
  void On(RequestKey request, const ReadAttempt& read);
  void On(RequestKey request, const CancelAttempt& cancel);
  void On(RequestKey request, const ForgetAttempt& forget);
  void On(RequestKey request, const Forward& forward);
  void On(RequestKey request, const Finish& finish);
  void ClientSees(RequestKey key, Client* client, const StreamEvent& event);
  bool FinishIsDue(const Client& client, const Finish& finish) const;

  void Deliver(AttemptKey key);
  void EndAttempt(AttemptKey key, absl::Status status);
  std::optional<StreamEvent> NextEvent(AttemptKey key, SimAttempt* attempt);

  const SimulationOptions options_;
  std::mt19937_64 rng_;
  ManualClock clock_;
  Core core_;
  std::map<std::pair<absl::Duration, uint64_t>, std::function<void()>> agenda_;
  uint64_t agenda_number_ = 0;
  int open_ = 0;  // requests not yet ended
  std::map<RequestKey, Client> clients_;
  std::map<AttemptKey, SimAttempt> attempts_;
  std::vector<SimWorker> workers_;
  Outcome outcome_;
};

}  // namespace switchboard::router

#endif  // SWITCHBOARD_TESTS_UNIT_ROUTER_SIMULATION_H_
