// A core with two workers and a clock of its own, and short ways to say what happens to it.
#ifndef SWITCHBOARD_TESTS_UNIT_ROUTER_CORE_FIXTURE_H_
#define SWITCHBOARD_TESTS_UNIT_ROUTER_CORE_FIXTURE_H_

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "router/core/core.h"
#include "tests/support/manual_clock.h"

namespace switchboard::router {

class CoreTest : public ::testing::Test {
 protected:
  CoreTest() { Build({}); }

  void Build(CoreOptions options) {
    options.incarnation = "r1";
    core_ = std::make_unique<Core>(std::move(options), std::vector<std::string>{"a:1", "b:1"},
                                   &clock_, std::mt19937_64(7));
  }

  static WorkerReport ReportOf(const std::string& worker, const std::string& incarnation = "i") {
    WorkerReport report;
    report.worker = worker;
    report.incarnation = worker + incarnation;
    report.has_models = true;
    report.models = {
        {.name = "m", .root = "m", .created = 1, .max_model_len = 100, .fingerprint = "f"}};
    report.max_running = 2;
    report.max_waiting = 0;
    return report;
  }
  void Connect(WorkerIndex worker) { core_->Reported(worker, ReportOf(worker == 0 ? "a" : "b")); }

  RequestKey Arrive(RequestInfo info = {}) {
    if (info.model.empty()) info.model = "m";
    core_->Arrive(++last_request_, std::move(info));
    return last_request_;
  }
  static StreamEvent Accepted(const std::string& fingerprint = "f") {
    return AcceptedEvent{"w", fingerprint, 0};
  }
  static StreamEvent Tokens(int32_t position, std::vector<int32_t> ids, int32_t choice = 0) {
    return TokensEvent{choice, position, std::move(ids), {}};
  }
  static StreamEvent Finished(int32_t choice = 0) {
    return FinishedEvent{choice, FinishedEvent::kLength, 0, false, 1};
  }

  // The commands since the last call, as short text: "start 1@0", "read 1", "cancel 1", "forget 1",
  // "forward", "finish CODE".
  std::vector<std::string> Did() {
    std::vector<std::string> did;
    for (const Command& command : core_->TakeCommands()) did.push_back(Text(command));
    return did;
  }
  // Of the last Finish that Did() saw.
  absl::Status status_;
  absl::Duration retry_after_;
  // Of the last StartAttempt.
  std::string attempt_id_;

  ManualClock clock_;
  std::unique_ptr<Core> core_;

 private:
  std::string Text(const Command& command) {
    const auto& action = command.action;
    if (const auto* start = std::get_if<StartAttempt>(&action)) {
      attempt_id_ = start->attempt_id;
      return "start " + std::to_string(start->attempt) + "@" + std::to_string(start->worker);
    }
    if (const auto* read = std::get_if<ReadAttempt>(&action)) {
      return "read " + std::to_string(read->attempt);
    }
    if (const auto* cancel = std::get_if<CancelAttempt>(&action)) {
      return "cancel " + std::to_string(cancel->attempt);
    }
    if (const auto* forget = std::get_if<ForgetAttempt>(&action)) {
      return "forget " + std::to_string(forget->attempt);
    }
    if (std::holds_alternative<Forward>(action)) return "forward";
    const auto& finish = std::get<Finish>(action);
    status_ = finish.status;
    retry_after_ = finish.retry_after;
    return "finish " + absl::StatusCodeToString(finish.status.code());
  }

  RequestKey last_request_ = 0;
};

}  // namespace switchboard::router

#endif  // SWITCHBOARD_TESTS_UNIT_ROUTER_CORE_FIXTURE_H_
