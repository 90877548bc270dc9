// Handlers for tests: a function, and a stream that a test feeds by hand.
#ifndef SWITCHBOARD_TESTS_UNIT_HTTP_SCRIPTED_HANDLER_H_
#define SWITCHBOARD_TESTS_UNIT_HTTP_SCRIPTED_HANDLER_H_

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "absl/time/time.h"
#include "base/mutex.h"
#include "http/message.h"

namespace switchboard::http {

// Answers with a function.
class FunctionHandler : public Handler {
 public:
  using Function = std::function<std::unique_ptr<Exchange>(Request)>;
  explicit FunctionHandler(Function function) : function_(std::move(function)) {}
  std::unique_ptr<Exchange> Start(Request request) override {
    return function_(std::move(request));
  }

 private:
  const Function function_;
};

// 200 with this text.
std::unique_ptr<Exchange> ReplyText(std::string text);

// One exchange seen from the test: which steps it says, and what became of it. Thread-safe.
class ManualStream {
 public:
  // The exchange to hand to the server. REQUIRES: called once.
  std::unique_ptr<Exchange> MakeExchange();

  void Say(Step step);
  void SayHead(Head head);
  void SayBody(std::string body);
  void SayEnd();
  // What is said, before an end, once the server asks for one (Exchange::EndEarly). Empty: the
  // exchange does not know how.
  void SetFarewell(std::string body);
  // A head for a chunked reply of text/event-stream.
  static Head StreamHead(std::string heartbeat = "");

  // True once the condition holds; false after ten seconds.
  bool AwaitStarted();
  bool AwaitWaiting();    // the server has asked to be woken
  bool AwaitDestroyed();  // the server has dropped the exchange
  bool destroyed();
  // Steps taken by the server so far.
  int taken();

 private:
  class Side;
  struct State {
    Mutex mutex;
    CondVar changed;
    std::deque<Step> steps GUARDED_BY(mutex);
    std::function<void()> wake GUARDED_BY(mutex);
    std::string farewell GUARDED_BY(mutex);
    bool started GUARDED_BY(mutex) = false;
    bool destroyed GUARDED_BY(mutex) = false;
    int taken GUARDED_BY(mutex) = 0;
  };
  bool Await(const std::function<bool(State&)>& condition);

  const std::shared_ptr<State> state_ = std::make_shared<State>();
};

}  // namespace switchboard::http

#endif  // SWITCHBOARD_TESTS_UNIT_HTTP_SCRIPTED_HANDLER_H_
