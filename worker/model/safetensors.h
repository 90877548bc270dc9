// Reads the safetensors format: 8 bytes header length, a JSON header, data.
// https://huggingface.co/docs/safetensors, with every claim of the header checked before it is
// used.
#ifndef SWITCHBOARD_WORKER_MODEL_SAFETENSORS_H_
#define SWITCHBOARD_WORKER_MODEL_SAFETENSORS_H_

#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "worker/model/stored_tensor.h"

namespace switchboard::model {

// The tensors of a file's content, in order of their data. InvalidArgument, naming the tensor,
// unless: the header is at most 100 MB and within the file, a JSON object without duplicate keys;
// dtypes are known; each length is shape * element size; and the ranges cover the data in full,
// without gap or overlap.
absl::StatusOr<std::vector<StoredTensor>> ParseSafetensors(absl::string_view content);

}  // namespace switchboard::model

#endif  // SWITCHBOARD_WORKER_MODEL_SAFETENSORS_H_
