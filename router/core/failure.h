// What a failed attempt says about the request and about the worker.
#ifndef SWITCHBOARD_ROUTER_CORE_FAILURE_H_
#define SWITCHBOARD_ROUTER_CORE_FAILURE_H_

#include "absl/status/status.h"

namespace switchboard::router {

enum class Failure {
  // The request's own fault, or one that every worker would repeat: passed on unchanged, never held
  // against the worker.
  kOfRequest,
  // The worker is well but has no room: another one may have, or this one later.
  kRefused,
  // The worker or the way to it is gone, or it is about to go: another one may serve.
  kWorkerLost,
};

// REQUIRES: `status` is an error, and not one of our own cancelling.
Failure Classify(const absl::Status& status);

}  // namespace switchboard::router

#endif  // SWITCHBOARD_ROUTER_CORE_FAILURE_H_
