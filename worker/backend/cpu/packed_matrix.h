// A weight matrix in the order in which the GEMM kernels read it.
#ifndef SWITCHBOARD_WORKER_BACKEND_CPU_PACKED_MATRIX_H_
#define SWITCHBOARD_WORKER_BACKEND_CPU_PACKED_MATRIX_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "worker/backend/cpu/kernels.h"
#include "worker/backend/cpu/team.h"
#include "worker/backend/memory.h"
#include "worker/backend/ops.h"

namespace switchboard::backend {

// Panels of 16 rows (output channels), each [column][16]; the missing rows of the last panel are
// zero. In bf16 panels row c < 8 stands at place 2c and row 8 + c at 2c + 1, so that a shift and a
// mask widen 16 of them.
class PackedMatrix final : public Matrix {
 public:
  // The blocks stacked, converted to `storage` (bf16 rounds to nearest even; f16 only from f16).
  static absl::StatusOr<std::unique_ptr<PackedMatrix>> Pack(absl::Span<const TensorView> blocks,
                                                            DType storage, Team* team);

  int64_t rows() const override { return rows_; }
  int64_t columns() const override { return columns_; }
  DType storage() const { return storage_; }
  int64_t panels() const { return (rows_ + kPanel - 1) / kPanel; }
  const void* panel(int64_t i) const {
    return static_cast<const char*>(memory_.data()) + i * kPanel * columns_ * BytesOf(storage_);
  }
  // Row `row`, widened: columns() floats.
  void CopyRow(int64_t row, float* y) const;

 private:
  PackedMatrix(int64_t rows, int64_t columns, DType storage, Memory memory)
      : rows_(rows), columns_(columns), storage_(storage), memory_(std::move(memory)) {}
  // `widened` is room for a row.
  void PackRow(const TensorView& block, int64_t block_row, int64_t row,
               std::vector<float>* widened);

  const int64_t rows_, columns_;
  const DType storage_;
  const Memory memory_;
};

}  // namespace switchboard::backend

#endif  // SWITCHBOARD_WORKER_BACKEND_CPU_PACKED_MATRIX_H_
