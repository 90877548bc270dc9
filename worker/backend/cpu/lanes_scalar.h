// Sixteen float lanes in plain C++: what lanes_avx2.h does in two registers, with the same bits.
// Included by exactly one kernels_*.cc; the names are local to it.
#ifndef SWITCHBOARD_WORKER_BACKEND_CPU_LANES_SCALAR_H_
#define SWITCHBOARD_WORKER_BACKEND_CPU_LANES_SCALAR_H_

#include <bit>
#include <cmath>
#include <cstdint>

#include "worker/backend/half.h"

namespace switchboard::backend {
namespace {

struct Lanes {
  float v[16];
};

template <typename F>
inline Lanes ForEachLane(F f) {
  Lanes y;
  for (int i = 0; i < 16; ++i) y.v[i] = f(i);
  return y;
}

inline Lanes Broadcast(float x) {
  return ForEachLane([&](int) { return x; });
}
inline Lanes Load(const float* p) {
  return ForEachLane([&](int i) { return p[i]; });
}
inline void Store(float* p, const Lanes& x) {
  for (int i = 0; i < 16; ++i) p[i] = x.v[i];
}
inline float FirstLane(const Lanes& x) { return x.v[0]; }

inline Lanes Fma(const Lanes& a, const Lanes& b, const Lanes& c) {
  return ForEachLane([&](int i) { return std::fma(a.v[i], b.v[i], c.v[i]); });
}
inline Lanes Add(const Lanes& a, const Lanes& b) {
  return ForEachLane([&](int i) { return a.v[i] + b.v[i]; });
}
inline Lanes Sub(const Lanes& a, const Lanes& b) {
  return ForEachLane([&](int i) { return a.v[i] - b.v[i]; });
}
inline Lanes Mul(const Lanes& a, const Lanes& b) {
  return ForEachLane([&](int i) { return a.v[i] * b.v[i]; });
}
inline Lanes Div(const Lanes& a, const Lanes& b) {
  return ForEachLane([&](int i) { return a.v[i] / b.v[i]; });
}
// The second operand where either is NaN, as the instruction does.
inline Lanes Max(const Lanes& a, const Lanes& b) {
  return ForEachLane([&](int i) { return a.v[i] > b.v[i] ? a.v[i] : b.v[i]; });
}
inline Lanes Min(const Lanes& a, const Lanes& b) {
  return ForEachLane([&](int i) { return a.v[i] < b.v[i] ? a.v[i] : b.v[i]; });
}
inline Lanes IfLess(const Lanes& a, const Lanes& b, const Lanes& yes, const Lanes& no) {
  return ForEachLane([&](int i) { return a.v[i] < b.v[i] ? yes.v[i] : no.v[i]; });
}
inline Lanes Abs(const Lanes& x) {
  return ForEachLane(
      [&](int i) { return std::bit_cast<float>(std::bit_cast<uint32_t>(x.v[i]) & 0x7fffffffu); });
}
// The magnitude of `x` with the sign of `sign`. REQUIRES: x is not negative.
inline Lanes WithSign(const Lanes& x, const Lanes& sign) {
  return ForEachLane([&](int i) {
    return std::bit_cast<float>(std::bit_cast<uint32_t>(x.v[i]) |
                                (std::bit_cast<uint32_t>(sign.v[i]) & 0x80000000u));
  });
}
// 2^n, where the low bits of `x` hold the integer n, -126 to 127 (see Exp).
inline Lanes PowerOfTwo(const Lanes& x) {
  return ForEachLane([&](int i) {
    return std::bit_cast<float>((std::bit_cast<uint32_t>(x.v[i]) << 23) + (127u << 23));
  });
}

inline Lanes LoadWeights(const float* p) { return Load(p); }
// bf16 panels hold channel c at 2c and channel 8 + c at 2c + 1.
struct Bf16 {
  uint16_t bits;
};
inline Lanes LoadWeights(const Bf16* p) {
  return ForEachLane([&](int i) { return Bf16ToFloat(p[i < 8 ? 2 * i : 2 * (i - 8) + 1].bits); });
}
struct F16 {
  uint16_t bits;
};
inline Lanes LoadWeights(const F16* p) {
  return ForEachLane([&](int i) { return F16ToFloat(p[i].bits); });
}

// f(a, b) over all lanes as a tree: l with l + 8, then + 4, + 2, + 1.
template <typename F>
inline float Fold(const Lanes& x, F f) {
  float t[8];
  for (int i = 0; i < 8; ++i) t[i] = f(x.v[i], x.v[i + 8]);
  for (int width = 4; width > 0; width /= 2) {
    for (int i = 0; i < width; ++i) t[i] = f(t[i], t[i + width]);
  }
  return t[0];
}
inline float SumOfLanes(const Lanes& x) {
  return Fold(x, [](float a, float b) { return a + b; });
}
inline float MaxOfLanes(const Lanes& x) {
  return Fold(x, [](float a, float b) { return a > b ? a : b; });
}

}  // namespace
}  // namespace switchboard::backend

#endif  // SWITCHBOARD_WORKER_BACKEND_CPU_LANES_SCALAR_H_
