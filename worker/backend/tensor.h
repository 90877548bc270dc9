// Weights as they lie in a file: element type, shape, borrowed bytes.
#ifndef SWITCHBOARD_WORKER_BACKEND_TENSOR_H_
#define SWITCHBOARD_WORKER_BACKEND_TENSOR_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace switchboard::backend {

struct BlockFormat;

// The float formats that matrices are kept in.
enum class DType { kF32, kBf16, kF16 };

inline int64_t BytesOf(DType type) { return type == DType::kF32 ? 4 : 2; }
// "float32", "bfloat16", "float16": the names of --dtype.
absl::string_view NameOf(DType type);

// A dense row-major tensor in somebody else's memory, which need not be aligned.
struct TensorView {
  DType dtype = DType::kF32;  // of its elements; kF32 when they are quantised
  std::vector<int64_t> shape;
  const char* bytes = nullptr;
  // Of a quantised tensor; else nullptr. Its last dimension is a multiple of a block's values.
  const BlockFormat* blocks = nullptr;
  // 0, or rows per head (even, dividing rows()) of a tensor whose rows are stored in another order:
  // stored row 2j of a head is row j, stored row 2j + 1 is row interleaved_rows / 2 + j.
  int64_t interleaved_rows = 0;

  int64_t elements() const;
  // As a matrix: the first dimension, and the product of the others.
  int64_t rows() const { return shape.empty() ? 1 : shape[0]; }
  int64_t columns() const { return rows() == 0 ? 0 : elements() / rows(); }
  // Bytes of the whole tensor as it is stored.
  int64_t stored_bytes() const;
};

// Row `row` of the matrix, widened exactly: columns() floats. Not for a quantised vector, whose
// blocks are longer than its rows.
void WidenRow(const TensorView& tensor, int64_t row, float* y);

// The bytes of row `row`. REQUIRES: not quantised.
const char* RowBytes(const TensorView& tensor, int64_t row);

// All elements, widened exactly.
std::vector<float> ToFloats(const TensorView& tensor);

// "[512, 128]".
std::string ShapeText(const std::vector<int64_t>& shape);

}  // namespace switchboard::backend

#endif  // SWITCHBOARD_WORKER_BACKEND_TENSOR_H_
