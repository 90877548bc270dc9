#include "tests/unit/router/simulation.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace switchboard::router {
namespace {

constexpr size_t kEventBytes = 16;

// The token at a place is a function of the request and the place, so that a client can tell a
// right stream whoever sent it.
int32_t TokenAt(RequestKey request, int choice, int position) {
  return static_cast<int32_t>((request * 1000003 + static_cast<uint64_t>(choice) * 10007 +
                               static_cast<uint64_t>(position) * 31) %
                              100000);
}

std::vector<std::string> Addresses(int workers) {
  std::vector<std::string> addresses;
  for (int i = 0; i < workers; ++i) addresses.push_back(absl::StrCat("w", i, ":1"));
  return addresses;
}

CoreOptions WithIncarnation(CoreOptions options) {
  options.incarnation = "sim";
  return options;
}

}  // namespace

Simulation::Simulation(SimulationOptions options, uint64_t seed)
    : options_(std::move(options)),
      rng_(seed),
      core_(WithIncarnation(options_.core), Addresses(options_.workers), &clock_,
            std::mt19937_64(seed + 1)),
      workers_(static_cast<size_t>(options_.workers)) {}

void Simulation::At(absl::Duration delay, std::function<void()> what) {
  agenda_.emplace(std::make_pair(clock_.Monotonic() + delay, ++agenda_number_), std::move(what));
}

absl::Duration Simulation::Between(double low_ms, double high_ms) {
  return absl::Milliseconds(std::uniform_real_distribution<double>(low_ms, high_ms)(rng_));
}

bool Simulation::Chance(double p) { return std::uniform_real_distribution<double>()(rng_) < p; }

int Simulation::Draw(int low, int high) {
  return std::uniform_int_distribution<int>(low, high)(rng_);
}

void Simulation::Violate(const std::string& what) {
  outcome_.violations.push_back(absl::StrCat(absl::FormatDuration(clock_.Monotonic()), " ", what));
}

Outcome Simulation::Run() {
  for (WorkerIndex worker = 0; worker < options_.workers; ++worker) {
    At(Between(0, 50), [this, worker] { StartWorker(worker); });
  }
  std::vector<absl::Duration> arrivals;
  for (int i = 0; i < options_.requests; ++i) {
    arrivals.push_back(absl::Milliseconds(100) +
                       Between(0, absl::ToDoubleMilliseconds(options_.arrivals)));
  }
  std::sort(arrivals.begin(), arrivals.end());
  open_ = options_.requests;
  for (int i = 0; i < options_.requests; ++i) {
    At(arrivals[static_cast<size_t>(i)],
       [this, i] { StartClient(static_cast<RequestKey>(i) + 1); });
  }

  constexpr absl::Duration kEndOfTime = absl::Minutes(10);
  while (clock_.Monotonic() < kEndOfTime && (open_ > 0 || core_.counts().attempts > 0)) {
    const auto wake = core_.NextWake();
    const absl::Duration next = agenda_.begin()->first.first;
    if (wake.has_value() && *wake < next) {
      // Like a thread that wakes late and looks again at what is due.
      const absl::Duration late = std::min(Between(0, 2), next - *wake);
      clock_.Advance(std::max(*wake + late - clock_.Monotonic(), absl::ZeroDuration()));
      if (core_.NextWake().value_or(absl::InfiniteDuration()) <= clock_.Monotonic()) core_.Tick();
      if (core_.NextWake() == wake) Violate("what is due is not done");
    } else {
      clock_.Advance(next - clock_.Monotonic());
      const std::function<void()> what = std::move(agenda_.begin()->second);
      agenda_.erase(agenda_.begin());
      what();
    }
    Carry();
    Check();
  }

  if (open_ > 0) Violate(absl::StrCat(open_, " requests never ended"));
  const CoreCounts counts = core_.counts();
  if (counts.attempts + counts.running + counts.waiting + counts.held_bytes != 0) {
    Violate("the core is not at rest");
  }
  return outcome_;
}

void Simulation::Check() {
  const CoreCounts counts = core_.counts();
  if (counts.waiting > options_.core.max_queued_requests) Violate("too many requests wait");
  if (counts.held_bytes > options_.core.max_held_bytes) Violate("too many bytes are held");
}

// Clients.

void Simulation::StartClient(RequestKey key) {
  Client& client = clients_[key];
  client.info = {
      .request_id = absl::StrCat("q", key), .model = "m", .choices = Chance(0.2) ? Draw(2, 4) : 1};
  client.info.bytes = static_cast<size_t>(Draw(1, 1000));
  for (int i = 0; i < client.info.choices; ++i) client.tokens.push_back(Draw(0, 12));
  client.next.resize(client.tokens.size());
  client.finished.resize(client.tokens.size());
  client.bad = Chance(options_.faults.bad_request);
  client.slow = Chance(options_.faults.client_is_slow);
  client.leaves = Chance(options_.faults.client_leaves);
  if (client.leaves) {
    At(Between(0, 300), [this, key] {
      if (clients_.at(key).ends > 0) return;
      clients_.at(key).left = true;
      core_.ClientLeft(key);
    });
  }
  core_.Arrive(key, client.info);
}

void Simulation::ClientSees(RequestKey key, Client* client, const StreamEvent& event) {
  if (std::holds_alternative<AcceptedEvent>(event)) {
    if (std::exchange(client->accepted, true)) Violate("Accepted twice");
    return;
  }
  if (!client->accepted) Violate("an event before Accepted");
  if (const auto* tokens = std::get_if<TokensEvent>(&event)) {
    const auto choice = static_cast<size_t>(tokens->choice);
    if (client->finished[choice]) Violate("tokens after the end of a choice");
    if (tokens->position != client->next[choice]) Violate("a token lost, repeated or out of order");
    for (size_t i = 0; i < tokens->ids.size(); ++i) {
      const int position = tokens->position + static_cast<int>(i);
      if (tokens->ids[i] != TokenAt(key, tokens->choice, position)) Violate("a foreign token");
    }
    client->next[choice] += static_cast<int>(tokens->ids.size());
    return;
  }
  const auto choice = static_cast<size_t>(std::get<FinishedEvent>(event).choice);
  if (client->finished[choice]) Violate("a choice ends twice");
  if (client->next[choice] != client->tokens[choice]) Violate("a choice ends early");
  client->finished[choice] = true;
}

bool Simulation::FinishIsDue(const Client& client, const Finish& finish) const {
  const Faults& faults = options_.faults;
  switch (finish.status.code()) {
    case absl::StatusCode::kOk:
      return std::find(client.finished.begin(), client.finished.end(), false) ==
             client.finished.end();
    case absl::StatusCode::kInvalidArgument:
      return client.bad;
    case absl::StatusCode::kCancelled:
      return client.left;
    case absl::StatusCode::kUnavailable:
      return faults.worker_dies + faults.worker_hangs > 0 &&
             finish.retry_after > absl::ZeroDuration();
    case absl::StatusCode::kResourceExhausted:
      return finish.retry_after > absl::ZeroDuration();
    case absl::StatusCode::kInternal:
      return faults.cheats > 0;
    default:
      return false;
  }
}

void Simulation::On(RequestKey key, const Forward& forward) {
  Client& client = clients_.at(key);
  if (client.ends > 0) Violate("forwarded after the end");
  ClientSees(key, &client, forward.event);
  client.bytes += forward.bytes;
  if (client.bytes > options_.core.client_window_bytes + kEventBytes)
    Violate("the client is flooded");
  At(client.slow ? Between(0, 3000) : Between(0, 2), [this, key, bytes = forward.bytes] {
    clients_.at(key).bytes -= bytes;
    core_.ClientWrote(key, bytes);
  });
}

void Simulation::On(RequestKey key, const Finish& finish) {
  Client& client = clients_.at(key);
  if (++client.ends > 1) return Violate("a request ended twice");
  --open_;
  if (!FinishIsDue(client, finish)) Violate("undue end: " + finish.status.ToString());
  switch (finish.status.code()) {
    case absl::StatusCode::kOk:
      ++outcome_.ok;
      break;
    case absl::StatusCode::kUnavailable:
      ++outcome_.lost;
      break;
    case absl::StatusCode::kResourceExhausted:
      ++outcome_.refused;
      break;
    case absl::StatusCode::kInvalidArgument:
      ++outcome_.invalid;
      break;
    case absl::StatusCode::kCancelled:
      ++outcome_.left;
      break;
    default:
      ++outcome_.broken_protocol;
      break;
  }
}

// Workers.

void Simulation::StartWorker(WorkerIndex index) {
  SimWorker& worker = workers_[static_cast<size_t>(index)];
  worker.up = true;
  worker.hangs = false;
  ++worker.incarnation;
  ReportLoop(index, worker.incarnation);
}

void Simulation::ReportLoop(WorkerIndex index, int incarnation) {
  const SimWorker& worker = workers_[static_cast<size_t>(index)];
  if (!worker.up || worker.hangs || worker.incarnation != incarnation) return;
  WorkerReport report;
  report.worker = absl::StrCat("w", index);
  report.incarnation = absl::StrCat(index, ".", incarnation);
  report.has_models = true;
  report.models = {{.name = "m", .fingerprint = "f"}};
  report.max_running = 4;
  report.max_waiting = 4;
  core_.Reported(index, std::move(report));
  At(Between(500, 1000), [this, index, incarnation] { ReportLoop(index, incarnation); });
}

void Simulation::StopWorker(WorkerIndex index, bool hang) {
  SimWorker& worker = workers_[static_cast<size_t>(index)];
  if (!worker.up || worker.hangs) return;
  if (hang) {
    worker.hangs = true;
    // A supervisor ends it in the end, or the router has cut it off before.
    At(Between(5000, 15000), [this, index, incarnation = worker.incarnation] {
      SimWorker& hung = workers_[static_cast<size_t>(index)];
      hung.hangs = false;
      if (hung.incarnation == incarnation) StopWorker(index, false);
    });
    return;
  }
  worker.up = false;
  // The broken watch and the broken streams come in any order.
  At(Between(0, 50), [this, index, incarnation = worker.incarnation] {
    if (workers_[static_cast<size_t>(index)].incarnation == incarnation) core_.WorkerLost(index);
  });
  for (const auto& [attempt_key, attempt] : attempts_) {
    if (attempt.worker != index || attempt.ended) continue;
    At(Between(0, 50),
       [this, key = attempt_key] { EndAttempt(key, absl::UnavailableError("reset")); });
  }
  At(Between(100, 3000), [this, index] { StartWorker(index); });
}

void Simulation::On(RequestKey request, const StartAttempt& start) {
  ++outcome_.attempts;
  if (start.number > 1) ++outcome_.retries;
  const SimWorker& worker = workers_[static_cast<size_t>(start.worker)];
  const Client& client = clients_.at(request);
  SimAttempt& attempt = attempts_[start.attempt];
  attempt.request = request;
  attempt.worker = start.worker;
  attempt.incarnation = worker.incarnation;
  attempt.reads = 1;
  attempt.next.resize(client.tokens.size());
  attempt.finished.resize(client.tokens.size());
  attempt.cheats = Chance(options_.faults.cheats);
  if (client.ends > 0) Violate("an attempt for a request that has ended");
  if (!worker.up) {
    At(Between(0, 5),
       [this, key = start.attempt] { EndAttempt(key, absl::UnavailableError("refused")); });
    return;
  }
  if (client.bad)
    attempt.fails = absl::InvalidArgumentError("bad");
  else if (Chance(options_.faults.refuses))
    attempt.fails = absl::ResourceExhaustedError("full");
  if (Chance(options_.faults.worker_dies)) {
    At(Between(0, 300), [this, index = start.worker] { StopWorker(index, false); });
  }
  if (Chance(options_.faults.worker_hangs)) {
    At(Between(0, 300), [this, index = start.worker] { StopWorker(index, true); });
  }
  At(Between(1, 100), [this, key = start.attempt] { Deliver(key); });
}

void Simulation::On(RequestKey, const ReadAttempt& read) {
  SimAttempt& attempt = attempts_.at(read.attempt);
  if (++attempt.reads > 1) Violate("two reads at once");
  At(Between(1, 30), [this, key = read.attempt] { Deliver(key); });
}

void Simulation::On(RequestKey, const CancelAttempt& cancel) {
  SimAttempt& attempt = attempts_.at(cancel.attempt);
  if (std::exchange(attempt.cancelled, true)) Violate("cancelled twice");
  At(Between(0, 40), [this, key = cancel.attempt] { EndAttempt(key, absl::CancelledError()); });
}

void Simulation::On(RequestKey, const ForgetAttempt& forget) {
  if (!attempts_.at(forget.attempt).ended) Violate("forgotten before its end");
  attempts_.erase(forget.attempt);
}

void Simulation::EndAttempt(AttemptKey key, absl::Status status) {
  const auto found = attempts_.find(key);
  if (found == attempts_.end() || std::exchange(found->second.ended, true)) return;
  core_.AttemptEnded(key, status, absl::ZeroDuration());
}

void Simulation::Deliver(AttemptKey key) {
  const auto found = attempts_.find(key);
  if (found == attempts_.end() || found->second.ended || found->second.reads == 0) return;
  SimAttempt& attempt = found->second;
  const SimWorker& worker = workers_[static_cast<size_t>(attempt.worker)];
  if (!worker.up || worker.incarnation != attempt.incarnation || worker.hangs) return;
  if (attempt.fails.has_value()) return EndAttempt(key, *attempt.fails);
  std::optional<StreamEvent> event = NextEvent(key, &attempt);
  if (!event.has_value()) return EndAttempt(key, absl::OkStatus());
  attempt.reads = 0;
  core_.AttemptEvent(key, *std::move(event), kEventBytes);
}

std::optional<StreamEvent> Simulation::NextEvent(AttemptKey, SimAttempt* attempt) {
  if (!std::exchange(attempt->accepted, true)) return AcceptedEvent{"w", "f", 0};
  const Client& client = clients_.at(attempt->request);
  std::vector<int> open;
  for (int i = 0; i < client.info.choices; ++i) {
    if (!attempt->finished[static_cast<size_t>(i)]) open.push_back(i);
  }
  if (open.empty()) return std::nullopt;
  const int choice = open[static_cast<size_t>(Draw(0, static_cast<int>(open.size()) - 1))];
  int& next = attempt->next[static_cast<size_t>(choice)];
  const int left = client.tokens[static_cast<size_t>(choice)] - next;
  if (left <= 0) {  // below 0: a cheat has gone beyond the end
    attempt->finished[static_cast<size_t>(choice)] = true;
    return FinishedEvent{choice, FinishedEvent::kLength, 0, false, next};
  }
  if (attempt->cheats && next > 0 && Chance(0.3)) next += Chance(0.5) ? 1 : -1;
  TokensEvent tokens{choice, next, {}, {}};
  for (int i = Draw(1, std::min(left, 3)); i > 0; --i) {
    tokens.ids.push_back(TokenAt(attempt->request, choice, next++));
  }
  return tokens;
}

void Simulation::Carry() {
  for (const Command& command : core_.TakeCommands()) {
    std::visit([&](const auto& action) { On(command.request, action); }, command.action);
  }
}

}  // namespace switchboard::router
