// Between the protocol's messages and the core's plain values.
#ifndef SWITCHBOARD_ROUTER_SERVICE_CONVERT_H_
#define SWITCHBOARD_ROUTER_SERVICE_CONVERT_H_

#include "absl/status/statusor.h"
#include "router/core/stream.h"
#include "router/core/worker_table.h"
#include "switchboard/v1/inference.pb.h"
#include "switchboard/v1/worker.pb.h"

namespace switchboard::router {

// InvalidArgument names the field; only what the router itself relies on is checked, the rest is
// the worker's to judge.
absl::StatusOr<RequestInfo> ToRequestInfo(const v1::GenerateRequest& request);

// An event of no known kind becomes empty tokens, which no stream check lets pass.
StreamEvent ToStreamEvent(v1::GenerateEvent event);
void ToProto(StreamEvent event, v1::GenerateEvent* out);

WorkerReport ToWorkerReport(v1::WorkerReport report);
void ToProto(const ModelName& model, v1::ModelName* out);

}  // namespace switchboard::router

#endif  // SWITCHBOARD_ROUTER_SERVICE_CONVERT_H_
