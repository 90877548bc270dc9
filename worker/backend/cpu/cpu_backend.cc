#include "worker/backend/cpu/cpu_backend.h"

#include <algorithm>
#include <cstring>
#include <memory>

#include "base/check.h"
#include "worker/backend/cpu/attention.h"
#include "worker/backend/cpu/kernels.h"
#include "worker/backend/cpu/kv_pages.h"
#include "worker/backend/cpu/packed_matrix.h"
#include "worker/backend/cpu/row_ops.h"
#include "worker/backend/cpu/team.h"

namespace switchboard::backend {
namespace {

// Rough operations per element, for the decision whether to share the work out.
constexpr int64_t kExpCost = 8;
constexpr int64_t kTrigCost = 20;
constexpr int64_t kReadCost = 3;

class CpuBackend final : public Backend {
 public:
  CpuBackend(int threads, Isa isa)
      : kernels_(KernelsFor(isa)), team_(threads), attention_(&team_, kernels_) {}

  absl::StatusOr<std::unique_ptr<Matrix>> NewMatrix(absl::Span<const TensorView> blocks,
                                                    DType storage) override {
    return PackedMatrix::Pack(blocks, storage, &team_);
  }
  absl::StatusOr<std::unique_ptr<KvPages>> NewKvPages(const HeadShape& shape, int layers,
                                                      int pages) override {
    return CpuKvPages::Map(shape, layers, pages);
  }
  int64_t KvPageBytes(const HeadShape& shape, int layers) const override {
    return CpuKvPages::PageBytes(shape, layers);
  }

  void Embed(const Matrix& table, absl::Span<const int32_t> ids, Rows y) override;
  void RmsNorm(ConstRows x, absl::Span<const float> weight, float eps, Rows y) override;
  void RmsNormHeads(Rows x, int first, int heads, absl::Span<const float> weight,
                    float eps) override;
  void LayerNorm(ConstRows x, absl::Span<const float> weight, absl::Span<const float> bias,
                 float eps, Rows y) override;
  void Linear(ConstRows x, const Matrix& w, absl::Span<const float> bias, Rows y) override;
  void SiluMul(ConstRows gate_up, Rows y) override;
  void GeluErf(Rows x) override;
  void Add(ConstRows x, Rows y) override;
  void CosSin(absl::Span<const float> angles, float* cosines, float* sines) override;
  void RotateAdjacent(Rows x, int heads, int head_dim, ConstRows cosines,
                      ConstRows sines) override {
    Rotate(RotateAdjacentRow, x, heads, head_dim, cosines, sines);
  }
  void RotateHalves(Rows x, int heads, int head_dim, ConstRows cosines, ConstRows sines) override {
    Rotate(RotateHalvesRow, x, heads, head_dim, cosines, sines);
  }
  void WriteKv(ConstRows qkv, const HeadShape& shape, absl::Span<const SequenceRows> sequences,
               int layer, KvPages* kv) override;
  void PagedAttention(ConstRows qkv, const HeadShape& shape,
                      absl::Span<const SequenceRows> sequences, int layer, const KvPages& kv,
                      Rows y) override;
  void FullAttention(ConstRows qkv, const HeadShape& shape, Rows y) override;
  void GatherRows(ConstRows x, absl::Span<const int32_t> indices, Rows y) override;
  void ScatterRows(ConstRows x, absl::Span<const int32_t> indices, Rows y) override;
  void AddBicubic(absl::Span<const float> table, int side, absl::Span<const float> sample_y,
                  absl::Span<const float> sample_x, Rows y) override;

 private:
  using RotateRow = void(float*, int, int, int64_t, const float*, const float*);
  void Rotate(RotateRow* rotate, Rows x, int heads, int head_dim, ConstRows cosines,
              ConstRows sines);

  // f(i) for each row, shared out when `cost` per row makes it worth while.
  template <typename F>
  void ForRows(int64_t rows, int64_t cost, F f) {
    team_.Run(rows, rows * cost, [&f](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) f(i);
    });
  }

  const Kernels& kernels_;
  Team team_;
  Attention attention_;
};

void CpuBackend::Embed(const Matrix& table, absl::Span<const int32_t> ids, Rows y) {
  const auto& packed = static_cast<const PackedMatrix&>(table);
  CHECK(y.rows == static_cast<int64_t>(ids.size()) && y.width == packed.columns());
  ForRows(y.rows, y.width * kExpCost, [&](int64_t i) {
    const int32_t id = ids[static_cast<size_t>(i)];
    CHECK(id >= 0 && id < packed.rows());
    packed.CopyRow(id, y.row(i));
  });
}

void CpuBackend::RmsNorm(ConstRows x, absl::Span<const float> weight, float eps, Rows y) {
  CHECK(x.rows == y.rows && x.width == y.width && static_cast<int64_t>(weight.size()) == x.width);
  ForRows(x.rows, x.width,
          [&](int64_t i) { kernels_.rms_norm(x.row(i), weight.data(), eps, x.width, y.row(i)); });
}

void CpuBackend::RmsNormHeads(Rows x, int first, int heads, absl::Span<const float> weight,
                              float eps) {
  const int64_t width = static_cast<int64_t>(weight.size());
  CHECK(first >= 0 && heads >= 0 && (int64_t{first} + heads) * width <= x.width);
  ForRows(x.rows, heads * width, [&](int64_t i) {
    float* head = x.row(i) + first * width;
    for (int h = 0; h < heads; ++h, head += width) {
      kernels_.rms_norm(head, weight.data(), eps, width, head);
    }
  });
}

void CpuBackend::LayerNorm(ConstRows x, absl::Span<const float> weight,
                           absl::Span<const float> bias, float eps, Rows y) {
  CHECK(x.rows == y.rows && x.width == y.width && bias.size() == weight.size() &&
        static_cast<int64_t>(weight.size()) == x.width);
  ForRows(x.rows, x.width, [&](int64_t i) {
    kernels_.layer_norm(x.row(i), weight.data(), bias.data(), eps, x.width, y.row(i));
  });
}

void CpuBackend::Linear(ConstRows x, const Matrix& w, absl::Span<const float> bias, Rows y) {
  const auto& packed = static_cast<const PackedMatrix&>(w);
  CHECK(x.width == packed.columns() && y.width == packed.rows() && x.rows == y.rows);
  CHECK(bias.empty() || static_cast<int64_t>(bias.size()) == y.width);
  const auto gemm = packed.storage() == DType::kF32    ? kernels_.gemm_f32
                    : packed.storage() == DType::kBf16 ? kernels_.gemm_bf16
                                                       : kernels_.gemm_f16;
  const auto multiply = [&](int64_t row, int64_t row_end, int64_t panel, int64_t panel_end) {
    const int64_t column = panel * kPanel;
    gemm({.x = x.row(row),
          .x_stride = x.width,
          .rows = row_end - row,
          .w = packed.panel(panel),
          .panel_stride = kPanel * x.width,
          .columns = std::min(panel_end * kPanel, y.width) - column,
          .depth = x.width,
          .bias = bias.empty() ? nullptr : bias.data() + column,
          .y = y.row(row) + column,
          .y_stride = y.width,
          .accumulate = false});
  };
  // Reading the weights costs as much as the arithmetic of several rows.
  const int64_t cost = (x.rows + kReadCost) * x.width * y.width;
  // Many rows of few columns are divided by row, everything else by column: then each weight is
  // read by one thread.
  if (x.rows >= int64_t{16} * team_.members() && packed.panels() < int64_t{8} * team_.members()) {
    team_.Run(x.rows, cost,
              [&](int64_t begin, int64_t end) { multiply(begin, end, 0, packed.panels()); });
  } else {
    team_.Run(packed.panels(), cost,
              [&](int64_t begin, int64_t end) { multiply(0, x.rows, begin, end); });
  }
}

void CpuBackend::SiluMul(ConstRows gate_up, Rows y) {
  CHECK(gate_up.rows == y.rows && gate_up.width == 2 * y.width);
  ForRows(y.rows, y.width * kExpCost, [&](int64_t i) {
    kernels_.silu_mul(gate_up.row(i), gate_up.row(i) + y.width, y.width, y.row(i));
  });
}

void CpuBackend::GeluErf(Rows x) {
  ForRows(x.rows, 2 * x.width * kExpCost, [&](int64_t i) { kernels_.gelu(x.row(i), x.width); });
}

void CpuBackend::Add(ConstRows x, Rows y) {
  CHECK(x.rows == y.rows && x.width == y.width);
  ForRows(x.rows, x.width, [&](int64_t i) {
    const float* in = x.row(i);
    float* out = y.row(i);
    for (int64_t k = 0; k < x.width; ++k) out[k] += in[k];
  });
}

void CpuBackend::CosSin(absl::Span<const float> angles, float* cosines, float* sines) {
  ForRows(static_cast<int64_t>(angles.size()), kTrigCost,
          [&](int64_t i) { CosSinOf(angles[static_cast<size_t>(i)], cosines + i, sines + i); });
}

void CpuBackend::Rotate(RotateRow* rotate, Rows x, int heads, int head_dim, ConstRows cosines,
                        ConstRows sines) {
  CHECK(cosines.rows == x.rows && sines.rows == x.rows && sines.width == cosines.width);
  CHECK(2 * cosines.width <= head_dim && int64_t{heads} * head_dim <= x.width);
  ForRows(x.rows, int64_t{4} * heads * cosines.width, [&](int64_t i) {
    rotate(x.row(i), heads, head_dim, cosines.width, cosines.row(i), sines.row(i));
  });
}

void CpuBackend::WriteKv(ConstRows qkv, const HeadShape& shape,
                         absl::Span<const SequenceRows> sequences, int layer, KvPages* kv) {
  CHECK(qkv.width == shape.qkv_width());
  const auto& pages = static_cast<const CpuKvPages&>(*kv);
  for (const SequenceRows& sequence : sequences) {
    ForRows(sequence.rows, int64_t{shape.kv_heads} * shape.head_dim, [&](int64_t i) {
      const int64_t position = sequence.position + i;
      const int page = sequence.pages[static_cast<size_t>(position / kTileTokens)];
      for (int head = 0; head < shape.kv_heads; ++head) {
        const float* k =
            qkv.row(sequence.row + i) + shape.q_width() + int64_t{head} * shape.head_dim;
        pages.layout().Write(k, k + int64_t{shape.kv_heads} * shape.head_dim,
                             static_cast<int>(position % kTileTokens),
                             pages.tile(page, layer, head));
      }
    });
  }
}

void CpuBackend::PagedAttention(ConstRows qkv, const HeadShape& shape,
                                absl::Span<const SequenceRows> sequences, int layer,
                                const KvPages& kv, Rows y) {
  CHECK(qkv.width == shape.qkv_width() && y.width == shape.q_width() && qkv.rows == y.rows);
  CHECK(shape.window >= 0);
  attention_.Paged(qkv, shape, sequences, layer, static_cast<const CpuKvPages&>(kv), y);
}

void CpuBackend::FullAttention(ConstRows qkv, const HeadShape& shape, Rows y) {
  CHECK(qkv.width == shape.qkv_width() && y.width == shape.q_width() && qkv.rows == y.rows);
  CHECK(shape.window == 0);
  attention_.Full(qkv, shape, y);
}

void CpuBackend::GatherRows(ConstRows x, absl::Span<const int32_t> indices, Rows y) {
  CHECK(y.rows == static_cast<int64_t>(indices.size()) && x.width == y.width);
  for (int64_t i = 0; i < y.rows; ++i) {
    const int32_t from = indices[static_cast<size_t>(i)];
    CHECK(from >= 0 && from < x.rows);
    std::memcpy(y.row(i), x.row(from), static_cast<size_t>(x.width) * sizeof(float));
  }
}

void CpuBackend::ScatterRows(ConstRows x, absl::Span<const int32_t> indices, Rows y) {
  CHECK(x.rows == static_cast<int64_t>(indices.size()) && x.width == y.width);
  for (int64_t i = 0; i < x.rows; ++i) {
    const int32_t to = indices[static_cast<size_t>(i)];
    CHECK(to >= 0 && to < y.rows);
    std::memcpy(y.row(to), x.row(i), static_cast<size_t>(x.width) * sizeof(float));
  }
}

void CpuBackend::AddBicubic(absl::Span<const float> table, int side,
                            absl::Span<const float> sample_y, absl::Span<const float> sample_x,
                            Rows y) {
  CHECK(static_cast<int64_t>(table.size()) == int64_t{side} * side * y.width);
  CHECK(sample_y.size() == sample_x.size() && static_cast<int64_t>(sample_y.size()) == y.rows);
  ForRows(y.rows, 32 * y.width, [&](int64_t i) {
    const size_t at = static_cast<size_t>(i);
    AddBicubicRow(table, side, TapsAt(sample_y[at], side), TapsAt(sample_x[at], side), y.width,
                  y.row(i));
  });
}

}  // namespace

std::unique_ptr<Backend> NewCpuBackend(int threads, Isa isa) {
  return std::make_unique<CpuBackend>(threads, isa);
}

}  // namespace switchboard::backend
