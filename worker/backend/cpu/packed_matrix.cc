#include "worker/backend/cpu/packed_matrix.h"

#include <cstring>
#include <utility>

#include "base/check.h"
#include "base/status_macros.h"
#include "worker/backend/half.h"

namespace switchboard::backend {
namespace {

// Where row `lane` of a panel stands among the 16.
int64_t Place(DType storage, int64_t lane) {
  if (storage != DType::kBf16) return lane;
  return lane < 8 ? 2 * lane : 2 * (lane - 8) + 1;
}

}  // namespace

absl::StatusOr<std::unique_ptr<PackedMatrix>> PackedMatrix::Pack(
    absl::Span<const TensorView> blocks, DType storage, Team* team) {
  CHECK(!blocks.empty());
  const int64_t columns = blocks[0].columns();
  int64_t rows = 0;
  for (const TensorView& block : blocks) {
    CHECK(block.columns() == columns);
    CHECK(storage != DType::kF16 || block.dtype == DType::kF16);
    rows += block.rows();
  }
  const int64_t panels = (rows + kPanel - 1) / kPanel;
  ASSIGN_OR_RETURN(Memory memory,
                   Memory::Map(panels * kPanel * columns * BytesOf(storage), "weights"));
  auto packed =
      std::unique_ptr<PackedMatrix>(new PackedMatrix(rows, columns, storage, std::move(memory)));
  int64_t first = 0;
  for (const TensorView& block : blocks) {
    team->Run(block.rows(), block.elements() * 2, [&](int64_t begin, int64_t end) {
      std::vector<float> widened;
      for (int64_t i = begin; i < end; ++i) packed->PackRow(block, i, first + i, &widened);
    });
    first += block.rows();
  }
  return packed;
}

void PackedMatrix::PackRow(const TensorView& block, int64_t block_row, int64_t row,
                           std::vector<float>* widened) {
  char* base = static_cast<char*>(memory_.data()) +
               row / kPanel * kPanel * columns_ * BytesOf(storage_) +
               Place(storage_, row % kPanel) * BytesOf(storage_);
  if (storage_ != DType::kF32 && block.dtype == storage_) {
    const char* in = RowBytes(block, block_row);
    for (int64_t k = 0; k < columns_; ++k) std::memcpy(base + 2 * kPanel * k, in + 2 * k, 2);
    return;
  }
  widened->resize(static_cast<size_t>(columns_));
  const float* in = widened->data();
  WidenRow(block, block_row, widened->data());
  if (storage_ == DType::kF32) {
    float* out = reinterpret_cast<float*>(base);
    for (int64_t k = 0; k < columns_; ++k) out[k * kPanel] = in[k];
  } else {
    uint16_t* out = reinterpret_cast<uint16_t*>(base);
    for (int64_t k = 0; k < columns_; ++k) out[k * kPanel] = FloatToBf16(in[k]);
  }
}

void PackedMatrix::CopyRow(int64_t row, float* y) const {
  const char* base = static_cast<const char*>(panel(row / kPanel)) +
                     Place(storage_, row % kPanel) * BytesOf(storage_);
  if (storage_ == DType::kF32) {
    const float* in = reinterpret_cast<const float*>(base);
    for (int64_t k = 0; k < columns_; ++k) y[k] = in[k * kPanel];
    return;
  }
  const uint16_t* in = reinterpret_cast<const uint16_t*>(base);
  const bool bf16 = storage_ == DType::kBf16;
  for (int64_t k = 0; k < columns_; ++k) {
    y[k] = bf16 ? Bf16ToFloat(in[k * kPanel]) : F16ToFloat(in[k * kPanel]);
  }
}

}  // namespace switchboard::backend
