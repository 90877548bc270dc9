#include "worker/backend/tensor.h"

#include <cstring>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "worker/backend/half.h"

namespace switchboard::backend {
namespace {

template <typename T>
T Load(const char* bytes, int64_t index) {
  T value;
  std::memcpy(&value, bytes + index * static_cast<int64_t>(sizeof(T)), sizeof(T));
  return value;
}

}  // namespace

absl::string_view NameOf(DType type) {
  switch (type) {
    case DType::kF32:
      return "float32";
    case DType::kBf16:
      return "bfloat16";
    case DType::kF16:
      return "float16";
  }
  return "unknown";
}

int64_t TensorView::elements() const {
  int64_t product = 1;
  for (const int64_t size : shape) product *= size;
  return product;
}

float ElementOf(const TensorView& tensor, int64_t index) {
  switch (tensor.dtype) {
    case DType::kF32:
      return Load<float>(tensor.bytes, index);
    case DType::kBf16:
      return Bf16ToFloat(Load<uint16_t>(tensor.bytes, index));
    case DType::kF16:
      return F16ToFloat(Load<uint16_t>(tensor.bytes, index));
  }
  return 0.0f;
}

std::vector<float> ToFloats(const TensorView& tensor) {
  std::vector<float> values(static_cast<size_t>(tensor.elements()));
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = ElementOf(tensor, static_cast<int64_t>(i));
  }
  return values;
}

std::string ShapeText(const std::vector<int64_t>& shape) {
  return absl::StrCat("[", absl::StrJoin(shape, ", "), "]");
}

}  // namespace switchboard::backend
