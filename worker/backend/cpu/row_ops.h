// Ops without sums, for a range of rows: plain loops that every instruction set shares.
#ifndef SWITCHBOARD_WORKER_BACKEND_CPU_ROW_OPS_H_
#define SWITCHBOARD_WORKER_BACKEND_CPU_ROW_OPS_H_

#include <cstdint>

#include "absl/types/span.h"
#include "worker/backend/ops.h"

namespace switchboard::backend {

// Cosine and sine to float accuracy for |angle| <= 2e7, the same bits on every machine (a C
// library's are not).
void CosSinOf(float angle, float* cosine, float* sine);

// Rotates the first `heads` heads of a row by `pairs` angles; see Backend::RotateAdjacent and
// RotateHalves.
void RotateAdjacentRow(float* x, int heads, int head_dim, int64_t pairs, const float* cosines,
                       const float* sines);
void RotateHalvesRow(float* x, int heads, int head_dim, int64_t pairs, const float* cosines,
                     const float* sines);

// The four taps around `sample` on an axis of `side` cells, and their weights (A = -0.75).
struct CubicTaps {
  int cell[4];  // clamped to [0, side)
  float weight[4];
};
CubicTaps TapsAt(float sample, int side);

// y [width] += the table sampled with these taps.
void AddBicubicRow(absl::Span<const float> table, int side, const CubicTaps& down,
                   const CubicTaps& across, int64_t width, float* y);

}  // namespace switchboard::backend

#endif  // SWITCHBOARD_WORKER_BACKEND_CPU_ROW_OPS_H_
