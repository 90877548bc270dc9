#include "worker/backend/tensor.h"

#include <cstring>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/check.h"
#include "worker/backend/half.h"
#include "worker/backend/quant.h"

namespace switchboard::backend {
namespace {

uint16_t HalfBits(const char* bytes, int64_t index) {
  uint16_t bits;
  std::memcpy(&bits, bytes + 2 * index, sizeof(bits));
  return bits;
}

// `count` elements from `bytes`, where a block begins if there are blocks.
void Widen(const TensorView& tensor, const char* bytes, int64_t count, float* y) {
  if (tensor.blocks != nullptr) {
    const BlockFormat& format = *tensor.blocks;
    CHECK(count % format.values == 0);
    for (int64_t i = 0; i < count / format.values; ++i) {
      format.widen(bytes + i * format.bytes, y + i * format.values);
    }
    return;
  }
  switch (tensor.dtype) {
    case DType::kF32:
      if (count > 0) std::memcpy(y, bytes, static_cast<size_t>(count) * sizeof(float));
      return;
    case DType::kBf16:
      for (int64_t i = 0; i < count; ++i) y[i] = Bf16ToFloat(HalfBits(bytes, i));
      return;
    case DType::kF16:
      for (int64_t i = 0; i < count; ++i) y[i] = F16ToFloat(HalfBits(bytes, i));
      return;
  }
}

int64_t BytesOfElements(const TensorView& tensor, int64_t count) {
  if (tensor.blocks == nullptr) return count * BytesOf(tensor.dtype);
  return count / tensor.blocks->values * tensor.blocks->bytes;
}

// Where row `row` is stored.
int64_t StoredRow(const TensorView& tensor, int64_t row) {
  const int64_t head = tensor.interleaved_rows;
  if (head == 0) return row;
  const int64_t within = row % head, half = head / 2;
  return row - within + (within < half ? 2 * within : 2 * (within - half) + 1);
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

int64_t TensorView::stored_bytes() const { return BytesOfElements(*this, elements()); }

void WidenRow(const TensorView& tensor, int64_t row, float* y) {
  const int64_t columns = tensor.columns();
  const int64_t first = StoredRow(tensor, row) * columns;
  Widen(tensor, tensor.bytes + BytesOfElements(tensor, first), columns, y);
}

const char* RowBytes(const TensorView& tensor, int64_t row) {
  CHECK(tensor.blocks == nullptr);
  return tensor.bytes + StoredRow(tensor, row) * tensor.columns() * BytesOf(tensor.dtype);
}

std::vector<float> ToFloats(const TensorView& tensor) {
  std::vector<float> values(static_cast<size_t>(tensor.elements()));
  if (tensor.interleaved_rows == 0) {
    Widen(tensor, tensor.bytes, tensor.elements(), values.data());
    return values;
  }
  for (int64_t row = 0; row < tensor.rows(); ++row) {
    WidenRow(tensor, row, values.data() + row * tensor.columns());
  }
  return values;
}

std::string ShapeText(const std::vector<int64_t>& shape) {
  return absl::StrCat("[", absl::StrJoin(shape, ", "), "]");
}

}  // namespace switchboard::backend
