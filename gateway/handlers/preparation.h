// A request on its way through the task pool, until its generation has been started.
#ifndef SWITCHBOARD_GATEWAY_HANDLERS_PREPARATION_H_
#define SWITCHBOARD_GATEWAY_HANDLERS_PREPARATION_H_

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/mutex.h"
#include "gateway/handlers/prepare.h"
#include "gateway/handlers/routes.h"
#include "gateway/handlers/services.h"
#include "http/message.h"

namespace switchboard::gateway {

// A generation that runs, and what is to be made of it.
struct Begun {
  std::unique_ptr<Generation> generation;
  AnswerPlan plan;
  std::string model;
  bool streamed = false;
};

// Shared by the exchange, which waits, and the pool's task, which works. Thread-safe.
class Preparation : public std::enable_shared_from_this<Preparation> {
 public:
  // `endpoint` is kChat or kCompletions. `services` is borrowed. `deadline` is the generation's.
  Preparation(Endpoint endpoint, http::Request request, const Services* services,
              absl::Time deadline);

  // Sends it through the pool; a full pool is a result too.
  void Submit() EXCLUDES(mutex_);
  // The same once more, after the directory has looked at the models. REQUIRES: a result was taken.
  void SubmitAgain() EXCLUDES(mutex_);

  // The result, once; nothing when there is none yet. Errors are the API's.
  std::optional<absl::StatusOr<Begun>> Take() EXCLUDES(mutex_);
  // As Exchange::NotifyWhenReady.
  void NotifyWhenReady(std::function<void()> wake) EXCLUDES(mutex_);
  // Nobody waits any more: what has not begun need not, what has is cancelled.
  void Abandon() EXCLUDES(mutex_);

 private:
  void Run() EXCLUDES(mutex_);
  void Publish(absl::StatusOr<Begun> result) EXCLUDES(mutex_);
  bool abandoned() const EXCLUDES(mutex_);
  absl::StatusOr<Begun> Begin();

  const Endpoint endpoint_;
  const http::Request request_;
  const Services& services_;
  const absl::Time deadline_;

  bool counted_ = false;  // the ignored fields; used by one task after the other

  mutable Mutex mutex_;
  std::optional<absl::StatusOr<Begun>> result_ GUARDED_BY(mutex_);
  bool abandoned_ GUARDED_BY(mutex_) = false;
  std::function<void()> wake_ GUARDED_BY(mutex_);
};

}  // namespace switchboard::gateway

#endif  // SWITCHBOARD_GATEWAY_HANDLERS_PREPARATION_H_
