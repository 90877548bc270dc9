// Between the messages of inference.proto and the gateway's structs. What comes from outside is
// checked as far as a wrong value could hurt: everything else is the caller's to judge.
#ifndef SWITCHBOARD_GATEWAY_UPSTREAM_CONVERT_H_
#define SWITCHBOARD_GATEWAY_UPSTREAM_CONVERT_H_

#include <vector>

#include "absl/status/statusor.h"
#include "gateway/models/generation.h"
#include "gateway/models/model_card.h"
#include "switchboard/v1/inference.pb.h"

namespace switchboard::gateway {

v1::GenerateRequest ToProto(const GenerateCall& call);

// InvalidArgument for an event that says nothing or whose arrays do not fit together.
absl::StatusOr<GenerationEvent> FromProto(const v1::GenerateEvent& event);

std::vector<ModelName> FromProto(const v1::ListModelsResponse& response);
ModelCard FromProto(v1::ModelCard card);

}  // namespace switchboard::gateway

#endif  // SWITCHBOARD_GATEWAY_UPSTREAM_CONVERT_H_
