// The short name of all that decides which tokens an answer has.
#ifndef SWITCHBOARD_WORKER_SERVICE_FINGERPRINT_H_
#define SWITCHBOARD_WORKER_SERVICE_FINGERPRINT_H_

#include <string>

#include "absl/strings/string_view.h"
#include "worker/service/model_files.h"

namespace switchboard::worker {

// 16 hexadecimal digits of a SHA-256 over the weights (their own fingerprint), how they are
// computed with, and what turns messages and images into the model's input and ends its answers:
// tokenizer, template, special tokens, end tokens, image rules. Sampling defaults are not in it:
// whoever sends a request has resolved them.
std::string FingerprintOf(absl::string_view weights, absl::string_view numerics,
                          const ModelFiles& files);

}  // namespace switchboard::worker

#endif  // SWITCHBOARD_WORKER_SERVICE_FINGERPRINT_H_
