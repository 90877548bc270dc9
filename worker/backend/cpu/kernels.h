// The float kernels that are compiled once per instruction set, from one source (*_inl.h over 16
// lanes).
//
// Fixed orders, so that every instruction set gives the same bits:
//  * a GEMM output is one chain of fused multiply-adds over ascending k, from zero, the bias added
//    last;
//  * every other sum goes into 16 lanes (element i into lane i mod 16, fused where there is a
//    product), and the lanes are added as a tree: l + (l + 8), then + 4, + 2, + 1.
#ifndef SWITCHBOARD_WORKER_BACKEND_CPU_KERNELS_H_
#define SWITCHBOARD_WORKER_BACKEND_CPU_KERNELS_H_

#include <cstdint>

#include "worker/backend/cpu/isa.h"

namespace switchboard::backend {

// Matrices are packed in panels of 16 output channels: [panel][k][16], so that a row of a panel is
// one load.
inline constexpr int kPanel = 16;

// y[r][n] = sum over k of x[r][k] * w[n][k], for whole panels of w.
struct GemmArgs {
  const float* x;
  int64_t x_stride;  // floats between rows
  int64_t rows;
  const void* w;         // first panel; float, bf16 (see PackedMatrix for its order) or f16
  int64_t panel_stride;  // elements between panels
  int64_t columns;       // outputs wanted; the last panel may be used in part
  int64_t depth;         // length of the sum
  const float* bias;     // [columns] or null
  float* y;
  int64_t y_stride;
  bool accumulate;  // the chain starts from y instead of zero
};

// Attention of some query rows over one tile of at most 64 tokens.
struct AttentionTileArgs {
  const float* q;
  int64_t q_stride;
  int rows;  // at most kAttentionRows
  int head_dim;
  const float* keys;    // [4 panels of 16 tokens][head_dim][16]
  const float* values;  // [panels of 16 channels][64 tokens][16]
  int first, tokens;    // the rows see tokens [first, tokens) of the tile; at least one
  float scale;
};
inline constexpr int kAttentionRows = 24;

// Softmax in progress. Start: max = -inf, sum = 0, out = 0.
struct AttentionState {
  float* max;  // [rows]
  float* sum;  // [rows]: of e^(score - max)
  float* out;  // [rows, out_stride]: of e^(score - max) * v
  int64_t out_stride;
};

struct Kernels {
  void (*gemm_f32)(const GemmArgs&);
  void (*gemm_bf16)(const GemmArgs&);
  void (*gemm_f16)(const GemmArgs&);
  // Takes a tile into the state.
  void (*attend_tile)(const AttentionTileArgs&, const AttentionState&);
  // Takes the finished chunk `from` into `to`.
  void (*merge_attention)(const AttentionState& from, int rows, int head_dim,
                          const AttentionState& to);
  // One row each; y may be x.
  void (*rms_norm)(const float* x, const float* weight, float eps, int64_t n, float* y);
  void (*layer_norm)(const float* x, const float* weight, const float* bias, float eps, int64_t n,
                     float* y);
  void (*silu_mul)(const float* gate, const float* up, int64_t n, float* y);
  void (*gelu)(float* x, int64_t n);
};

// REQUIRES: the processor supports `isa`.
const Kernels& KernelsFor(Isa isa);

namespace internal {
const Kernels& ScalarKernels();
const Kernels& Avx2Kernels();
}  // namespace internal

}  // namespace switchboard::backend

#endif  // SWITCHBOARD_WORKER_BACKEND_CPU_KERNELS_H_
