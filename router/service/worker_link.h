// The way to one worker: a channel for streams, one for reports, and the watch that is kept on it.
#ifndef SWITCHBOARD_ROUTER_SERVICE_WORKER_LINK_H_
#define SWITCHBOARD_ROUTER_SERVICE_WORKER_LINK_H_

#include <grpcpp/alarm.h>

#include <functional>
#include <memory>
#include <string>

#include "base/mutex.h"
#include "base/thread_annotations.h"
#include "router/core/worker_table.h"
#include "rpc/address.h"
#include "switchboard/v1/inference.grpc.pb.h"
#include "switchboard/v1/worker.grpc.pb.h"

namespace switchboard::router {

// Watches from Start to Stop; a watch that breaks is begun anew after 0.1 s, then after twice as
// long each time, 2 s at most. Thread-safe.
class WorkerLink {
 public:
  // Called from gRPC's threads, one call at a time.
  struct Listener {
    std::function<void(WorkerReport report)> reported;
    std::function<void()> lost;  // after at least one report
  };

  WorkerLink(const rpc::Address& address, std::string router);
  // REQUIRES: not started, or stopped.
  ~WorkerLink();
  WorkerLink(const WorkerLink&) = delete;
  WorkerLink& operator=(const WorkerLink&) = delete;

  v1::Inference::Stub* inference() { return inference_.get(); }

  void Start(Listener listener) EXCLUDES(mutex_);
  // Returns when the listener will not be called any more.
  void Stop() EXCLUDES(mutex_);

 private:
  class Watch;

  void Begin() EXCLUDES(mutex_);
  void OnReport(v1::WorkerReport report) EXCLUDES(mutex_);
  void OnEnd(const std::string& reason) EXCLUDES(mutex_);

  const std::string address_;
  const std::string router_;
  const std::unique_ptr<v1::Inference::Stub> inference_;
  const std::unique_ptr<v1::WorkerControl::Stub> control_;
  Listener listener_;  // constant after Start

  Mutex mutex_;
  CondVar rested_;
  bool stopping_ GUARDED_BY(mutex_) = false;
  bool resting_ GUARDED_BY(mutex_) = true;           // no watch, no alarm
  bool connected_ GUARDED_BY(mutex_) = false;        // the watch has brought a report
  int failures_ GUARDED_BY(mutex_) = 0;              // since the last report
  std::shared_ptr<Watch> watch_ GUARDED_BY(mutex_);  // shared with its call
  std::unique_ptr<grpc::Alarm> alarm_ GUARDED_BY(mutex_);
};

}  // namespace switchboard::router

#endif  // SWITCHBOARD_ROUTER_SERVICE_WORKER_LINK_H_
