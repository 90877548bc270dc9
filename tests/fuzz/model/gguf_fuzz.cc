// Any bytes as a GGUF file: header, metadata, configuration, tensors, values.
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/check.h"
#include "worker/model/gguf.h"
#include "worker/model/gguf_config.h"
#include "worker/model/gguf_json.h"
#include "worker/model/gguf_tensors.h"

namespace switchboard::model {
namespace {

bool Within(absl::string_view part, absl::string_view whole) {
  return part.empty() ||
         (part.data() >= whole.data() && part.data() + part.size() <= whole.data() + whole.size());
}

void CheckMetadata(const GgufMetadata& metadata, absl::string_view file) {
  for (const GgufValue& value : metadata.values()) {
    CHECK(Within(value.key, file) && Within(value.bytes, file));
    CHECK(metadata.Find(value.key) == &value);
    const std::string key(value.key);
    if (value.is_array) {
      const bool read =
          metadata.Texts(key).ok() || metadata.Ints(key).ok() || metadata.Floats(key).ok();
      CHECK(!read || !metadata.Int(key).ok());
    } else {
      const bool read = metadata.Int(key).ok() || metadata.Float(key).ok() ||
                        metadata.Bool(key).ok() || metadata.Text(key).ok();
      CHECK(!read || !metadata.Texts(key).ok());
    }
    const absl::StatusOr<Json> json = GgufJson(value);
    CHECK(json.ok() || json.status().code() == absl::StatusCode::kInvalidArgument);
  }
}

void Check(absl::string_view file) {
  const absl::StatusOr<GgufContent> content = ParseGguf(file);
  if (!content.ok()) {
    CHECK(content.status().code() == absl::StatusCode::kInvalidArgument);
    return;
  }
  CheckMetadata(content->metadata, file);
  GgufConfig(*content).IgnoreError();
  const absl::StatusOr<std::vector<StoredTensor>> tensors = HuggingFaceTensors(*content);
  if (!tensors.ok()) return;
  for (const StoredTensor& tensor : *tensors) {
    CHECK(Within(tensor.bytes, file));
    const absl::StatusOr<backend::TensorView> view = AsFloats(tensor);
    if (!view.ok()) continue;
    CHECK(view->stored_bytes() == static_cast<int64_t>(tensor.bytes.size()));
    CHECK(static_cast<int64_t>(backend::ToFloats(*view).size()) == view->elements());
  }
}

}  // namespace
}  // namespace switchboard::model

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  switchboard::model::Check({reinterpret_cast<const char*>(data), size});
  return 0;
}
