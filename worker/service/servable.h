// Whether a gateway will be able to use what a worker's files say.
#ifndef SWITCHBOARD_WORKER_SERVICE_SERVABLE_H_
#define SWITCHBOARD_WORKER_SERVICE_SERVABLE_H_

#include "absl/status/status.h"
#include "worker/service/model_files.h"

namespace switchboard::worker {

// Reads the tokenizer and the template as a gateway does, so that a worker with broken ones ends
// with the reason instead of waiting for requests that cannot come. `rows` of the model's output
// layer bound the tokenizer's ids. InvalidArgument or Unimplemented names the part and the field.
absl::Status CheckServable(const ModelFiles& files, int rows);

}  // namespace switchboard::worker

#endif  // SWITCHBOARD_WORKER_SERVICE_SERVABLE_H_
