// GEMM over packed panels; included after a lanes_*.h, names local to that file.
//
// A block is some rows of x against some neighbouring panels of w, its sums in registers. One row
// takes four panels at a time (a single chain per output would wait for its own latency); six rows
// take one, each weight being used six times. Every output is one chain over k whatever the block,
// so the shape of the blocks does not show in the result.
#ifndef SWITCHBOARD_WORKER_BACKEND_CPU_GEMM_INL_H_
#define SWITCHBOARD_WORKER_BACKEND_CPU_GEMM_INL_H_

#include "worker/backend/cpu/kernels.h"

namespace switchboard::backend {
namespace {

inline void StoreColumns(float* y, int64_t columns, const Lanes& sum) {
  if (columns >= kPanel) return Store(y, sum);
  float all[kPanel];
  Store(all, sum);
  for (int64_t i = 0; i < columns; ++i) y[i] = all[i];
}

inline Lanes LoadColumns(const float* y, int64_t columns) {
  if (columns >= kPanel) return Load(y);
  float all[kPanel] = {};
  for (int64_t i = 0; i < columns; ++i) all[i] = y[i];
  return Load(all);
}

// Weights that nobody has read yet arrive faster as one stream, asked for this many steps of k
// ahead, than as several side by side; so a block is one panel.
constexpr int64_t kAhead = 128;

// Rows [row, row + kRows) against one panel.
template <int kRows, typename Weight>
inline void Block(const GemmArgs& a, int64_t row, int64_t panel) {
  const float* x = a.x + row * a.x_stride;
  const Weight* w = static_cast<const Weight*>(a.w) + panel * a.panel_stride;
  float* y = a.y + row * a.y_stride + panel * kPanel;
  const int64_t columns = a.columns - panel * kPanel;
  Lanes sum[kRows];
  for (int r = 0; r < kRows; ++r) {
    sum[r] = a.accumulate ? LoadColumns(y + r * a.y_stride, columns) : Broadcast(0.0f);
  }
  for (int64_t k = 0; k < a.depth; ++k) {
    const Weight* at = w + k * kPanel;
    __builtin_prefetch(at + kAhead * kPanel);
    const Lanes weights = LoadWeights(at);
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r) {
      sum[r] = Fma(Broadcast(x[r * a.x_stride + k]), weights, sum[r]);
    }
  }
  const bool biased = a.bias != nullptr;
  const Lanes bias = biased ? LoadColumns(a.bias + panel * kPanel, columns) : Broadcast(0.0f);
  for (int r = 0; r < kRows; ++r) {
    StoreColumns(y + r * a.y_stride, columns, biased ? Add(sum[r], bias) : sum[r]);
  }
}

template <int kRows, typename Weight>
inline void Strip(const GemmArgs& a, int64_t row, int64_t panel, int64_t end) {
  for (; panel < end; ++panel) Block<kRows, Weight>(a, row, panel);
}

template <typename Weight>
void Gemm(const GemmArgs& a) {
  constexpr int64_t kRowBlock = 6, kPanelGroup = 4;  // a group's weights stay in the L2 cache
  const int64_t panels = (a.columns + kPanel - 1) / kPanel;
  for (int64_t panel = 0; panel < panels; panel += kPanelGroup) {
    const int64_t end = panel + kPanelGroup < panels ? panel + kPanelGroup : panels;
    for (int64_t row = 0; row < a.rows; row += kRowBlock) {
      switch (a.rows - row) {
        case 1:
          Strip<1, Weight>(a, row, panel, end);
          break;
        case 2:
          Strip<2, Weight>(a, row, panel, end);
          break;
        case 3:
          Strip<3, Weight>(a, row, panel, end);
          break;
        case 4:
          Strip<4, Weight>(a, row, panel, end);
          break;
        case 5:
          Strip<5, Weight>(a, row, panel, end);
          break;
        default:
          Strip<6, Weight>(a, row, panel, end);
      }
    }
  }
}

}  // namespace
}  // namespace switchboard::backend

#endif  // SWITCHBOARD_WORKER_BACKEND_CPU_GEMM_INL_H_
