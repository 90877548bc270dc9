// Reads the safetensors format: 8 bytes header length, a JSON header, data.
// https://huggingface.co/docs/safetensors, with every claim of the header checked before it is
// used.
#ifndef SWITCHBOARD_WORKER_MODEL_SAFETENSORS_H_
#define SWITCHBOARD_WORKER_MODEL_SAFETENSORS_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/mapped_file.h"
#include "worker/backend/tensor.h"

namespace switchboard::model {

struct StoredTensor {
  std::string name;
  std::string dtype;  // as the file spells it: "BF16", "I32", ...
  std::vector<int64_t> shape;
  absl::string_view bytes;  // borrowed from the file; shape * element size long, not aligned
};

// The tensors of a file's content, in order of their data. InvalidArgument, naming the tensor,
// unless: the header is at most 100 MB and within the file, a JSON object without duplicate keys;
// dtypes are known; each length is shape * element size; and the ranges cover the data in full,
// without gap or overlap.
absl::StatusOr<std::vector<StoredTensor>> ParseSafetensors(absl::string_view content);

// The tensor as floats of the back end. InvalidArgument for element types other than F32, F16,
// BF16.
absl::StatusOr<backend::TensorView> AsFloats(const StoredTensor& tensor);

// A mapped file; its tensors borrow from it. Immutable.
class SafetensorsFile {
 public:
  // The errors of MappedFile::Open and ParseSafetensors, with the path.
  static absl::StatusOr<std::unique_ptr<SafetensorsFile>> Open(const std::string& path);

  const std::vector<StoredTensor>& tensors() const { return tensors_; }
  // nullptr when there is none of that name.
  const StoredTensor* Find(absl::string_view name) const;

 private:
  SafetensorsFile(std::unique_ptr<MappedFile> file, std::vector<StoredTensor> tensors)
      : file_(std::move(file)), tensors_(std::move(tensors)) {}

  const std::unique_ptr<MappedFile> file_;
  const std::vector<StoredTensor> tensors_;
};

}  // namespace switchboard::model

#endif  // SWITCHBOARD_WORKER_MODEL_SAFETENSORS_H_
