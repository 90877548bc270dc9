// One tensor of a model's files, whatever their format.
#ifndef SWITCHBOARD_WORKER_MODEL_STORED_TENSOR_H_
#define SWITCHBOARD_WORKER_MODEL_STORED_TENSOR_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "worker/backend/tensor.h"

namespace switchboard::model {

struct StoredTensor {
  std::string name;
  std::string dtype;  // as the file spells it: "BF16", "I32", "Q4_1", ...
  std::vector<int64_t> shape;
  absl::string_view bytes;       // borrowed from the file; not aligned
  int64_t interleaved_rows = 0;  // as in backend::TensorView
};

// The tensor as floats of the back end. InvalidArgument, naming tensor and type, for element types
// other than F32, F16, BF16 and the formats of worker/backend/quant.h.
absl::StatusOr<backend::TensorView> AsFloats(const StoredTensor& tensor);

// InvalidArgument "tensor 'NAME': WHAT", the name escaped and cut.
absl::Status BadTensor(absl::string_view name, absl::string_view what);

}  // namespace switchboard::model

#endif  // SWITCHBOARD_WORKER_MODEL_STORED_TENSOR_H_
