// What a model will be, known from its config.json alone: one implementation for text models, one
// for GLM-4.1V.
#ifndef SWITCHBOARD_WORKER_MODEL_ARCHITECTURE_H_
#define SWITCHBOARD_WORKER_MODEL_ARCHITECTURE_H_

#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"
#include "base/json.h"
#include "worker/backend/ops.h"
#include "worker/model/config.h"
#include "worker/model/decoder_model.h"
#include "worker/model/weights.h"

namespace switchboard::model {

class Architecture {
 public:
  virtual ~Architecture() = default;
  virtual const TextConfig& text() const = 0;
  // Most bytes that a step of `tokens` and an image of `image_tokens` take (see memory_plan.h).
  virtual int64_t ActivationBytes(int64_t tokens, int64_t image_tokens) const = 0;
  // Asks a checking reader for every tensor.
  virtual void Check(WeightReader* reader) const = 0;
  // Reads every tensor with a loading reader, whose Finish must be OK before the model is used.
  virtual std::unique_ptr<DecoderModel> Load(WeightReader* reader,
                                             std::unique_ptr<backend::Backend> backend) const = 0;
};

// By the class that `architectures` names. Unimplemented for one that is not known (the message
// lists those that are); InvalidArgument for a config that is not in order.
absl::StatusOr<std::unique_ptr<Architecture>> NewArchitecture(const JsonObject& config);

}  // namespace switchboard::model

#endif  // SWITCHBOARD_WORKER_MODEL_ARCHITECTURE_H_
