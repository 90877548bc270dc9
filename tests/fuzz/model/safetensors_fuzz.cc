// Any bytes as a safetensors file: header, places, values.
#include <cstddef>
#include <cstdint>

#include "base/check.h"
#include "worker/model/safetensors.h"

namespace switchboard::model {
namespace {

void Check(absl::string_view file) {
  const absl::StatusOr<std::vector<StoredTensor>> tensors = ParseSafetensors(file);
  if (!tensors.ok()) {
    CHECK(tensors.status().code() == absl::StatusCode::kInvalidArgument);
    return;
  }
  size_t covered = 0;
  for (const StoredTensor& tensor : *tensors) {
    covered += tensor.bytes.size();
    CHECK(tensor.bytes.empty() ||
          (tensor.bytes.data() >= file.data() + 8 &&
           tensor.bytes.data() + tensor.bytes.size() <= file.data() + file.size()));
    const absl::StatusOr<backend::TensorView> view = AsFloats(tensor);
    if (!view.ok()) continue;
    CHECK(view->stored_bytes() == static_cast<int64_t>(tensor.bytes.size()));
    CHECK(static_cast<int64_t>(backend::ToFloats(*view).size()) == view->elements());
  }
  CHECK(covered + 8 <= file.size());
}

}  // namespace
}  // namespace switchboard::model

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  switchboard::model::Check({reinterpret_cast<const char*>(data), size});
  return 0;
}
