// Attention over one tile of KV; included after gemm_inl.h and math_inl.h, names local to that
// file.
//
// Keys and values lie in the tile as packed panels, so that both products are the GEMM's: scores =
// q K^T with tokens in the lanes, out += p V with channels in the lanes. Tokens that the rows do
// not see are never read as values, so what an earlier owner left in a page cannot show, and a NaN
// before a window stays there.
#ifndef SWITCHBOARD_WORKER_BACKEND_CPU_ATTENTION_INL_H_
#define SWITCHBOARD_WORKER_BACKEND_CPU_ATTENTION_INL_H_

#include "worker/backend/tile.h"

namespace switchboard::backend {
namespace {

constexpr float kMinusInfinity = -__builtin_inff();

inline float ExpOf(float x) { return FirstLane(Exp(Broadcast(x))); }

inline float Larger(float a, float b) { return a > b ? a : b; }

// y = y * factor over n floats.
inline void Scale(float factor, int64_t n, float* y) {
  for (int64_t i = 0; i < n; ++i) y[i] *= factor;
}

// Turns a row's raw scores of tokens [first, tokens) into e^(score - max), updates its maximum and
// sum, and returns what the row's earlier output is to be multiplied by.
inline float Soften(float* scores, int first, int tokens, float scale, float* max, float* sum) {
  const int padded = (tokens + kPanel - 1) / kPanel * kPanel;
  for (int i = 0; i < first; ++i) scores[i] = kMinusInfinity;
  for (int i = tokens; i < padded; ++i) scores[i] = kMinusInfinity;
  Lanes largest_lanes = Broadcast(*max);
  for (int i = 0; i < padded; i += kPanel) {
    const Lanes score = Mul(Load(scores + i), Broadcast(scale));
    Store(scores + i, score);
    largest_lanes = Max(score, largest_lanes);  // a NaN does not become the maximum
  }
  const float largest = MaxOfLanes(largest_lanes);
  const Lanes shift = Broadcast(largest);
  Lanes total = Broadcast(0.0f);
  for (int i = 0; i < padded; i += kPanel) {
    const Lanes p = Exp(Sub(Load(scores + i), shift));
    Store(scores + i, p);
    total = Add(total, p);
  }
  const float decay = ExpOf(*max - largest);
  *max = largest;
  *sum = __builtin_fmaf(*sum, decay, SumOfLanes(total));
  return decay;
}

void AttendTile(const AttentionTileArgs& a, const AttentionState& state) {
  alignas(64) float scores[kAttentionRows * kTileTokens];
  const int64_t depth = a.head_dim;
  const int64_t padded = (a.tokens + kPanel - 1) / kPanel * kPanel;
  Gemm<float>({.x = a.q,
               .x_stride = a.q_stride,
               .rows = a.rows,
               .w = a.keys,
               .panel_stride = depth * kPanel,
               .columns = padded,
               .depth = depth,
               .bias = nullptr,
               .y = scores,
               .y_stride = kTileTokens,
               .accumulate = false});
  for (int r = 0; r < a.rows; ++r) {
    const float decay =
        Soften(scores + r * kTileTokens, a.first, a.tokens, a.scale, state.max + r, state.sum + r);
    if (decay != 1.0f) Scale(decay, depth, state.out + r * state.out_stride);
  }
  Gemm<float>({.x = scores + a.first,
               .x_stride = kTileTokens,
               .rows = a.rows,
               .w = a.values + int64_t{a.first} * kPanel,
               .panel_stride = kTileTokens * kPanel,
               .columns = depth,
               .depth = a.tokens - a.first,
               .bias = nullptr,
               .y = state.out,
               .y_stride = state.out_stride,
               .accumulate = true});
}

void MergeAttention(const AttentionState& from, int rows, int head_dim, const AttentionState& to) {
  for (int r = 0; r < rows; ++r) {
    // The row saw nothing of the chunk. (A row of NaN has a sum of NaN.)
    if (from.max[r] == kMinusInfinity && from.sum[r] == 0.0f) continue;
    const float largest = Larger(from.max[r], to.max[r]);
    const float keep = ExpOf(to.max[r] - largest);
    const float take = ExpOf(from.max[r] - largest);
    to.max[r] = largest;
    to.sum[r] = __builtin_fmaf(to.sum[r], keep, from.sum[r] * take);
    const float* in = from.out + r * from.out_stride;
    float* out = to.out + r * to.out_stride;
    for (int i = 0; i < head_dim; ++i) out[i] = __builtin_fmaf(out[i], keep, in[i] * take);
  }
}

}  // namespace
}  // namespace switchboard::backend

#endif  // SWITCHBOARD_WORKER_BACKEND_CPU_ATTENTION_INL_H_
