// Sixteen float lanes in two AVX2 registers; the contract of each function is that of
// lanes_scalar.h. Included by exactly one kernels_*.cc; the names are local to it.
#ifndef SWITCHBOARD_WORKER_BACKEND_CPU_LANES_AVX2_H_
#define SWITCHBOARD_WORKER_BACKEND_CPU_LANES_AVX2_H_

#include <immintrin.h>

#include <cstdint>

namespace switchboard::backend {
namespace {

struct Lanes {
  __m256 lo, hi;
};

inline Lanes Broadcast(float x) {
  const __m256 v = _mm256_set1_ps(x);
  return {v, v};
}
inline Lanes Load(const float* p) { return {_mm256_loadu_ps(p), _mm256_loadu_ps(p + 8)}; }
inline void Store(float* p, const Lanes& x) {
  _mm256_storeu_ps(p, x.lo);
  _mm256_storeu_ps(p + 8, x.hi);
}
inline float FirstLane(const Lanes& x) { return _mm256_cvtss_f32(x.lo); }

inline Lanes Fma(const Lanes& a, const Lanes& b, const Lanes& c) {
  return {_mm256_fmadd_ps(a.lo, b.lo, c.lo), _mm256_fmadd_ps(a.hi, b.hi, c.hi)};
}
inline Lanes Add(const Lanes& a, const Lanes& b) {
  return {_mm256_add_ps(a.lo, b.lo), _mm256_add_ps(a.hi, b.hi)};
}
inline Lanes Sub(const Lanes& a, const Lanes& b) {
  return {_mm256_sub_ps(a.lo, b.lo), _mm256_sub_ps(a.hi, b.hi)};
}
inline Lanes Mul(const Lanes& a, const Lanes& b) {
  return {_mm256_mul_ps(a.lo, b.lo), _mm256_mul_ps(a.hi, b.hi)};
}
inline Lanes Div(const Lanes& a, const Lanes& b) {
  return {_mm256_div_ps(a.lo, b.lo), _mm256_div_ps(a.hi, b.hi)};
}
inline Lanes Max(const Lanes& a, const Lanes& b) {
  return {_mm256_max_ps(a.lo, b.lo), _mm256_max_ps(a.hi, b.hi)};
}
inline Lanes Min(const Lanes& a, const Lanes& b) {
  return {_mm256_min_ps(a.lo, b.lo), _mm256_min_ps(a.hi, b.hi)};
}
inline Lanes IfLess(const Lanes& a, const Lanes& b, const Lanes& yes, const Lanes& no) {
  return {_mm256_blendv_ps(no.lo, yes.lo, _mm256_cmp_ps(a.lo, b.lo, _CMP_LT_OQ)),
          _mm256_blendv_ps(no.hi, yes.hi, _mm256_cmp_ps(a.hi, b.hi, _CMP_LT_OQ))};
}
inline Lanes Abs(const Lanes& x) {
  const __m256 sign = _mm256_set1_ps(-0.0f);
  return {_mm256_andnot_ps(sign, x.lo), _mm256_andnot_ps(sign, x.hi)};
}
inline Lanes WithSign(const Lanes& x, const Lanes& s) {
  const __m256 sign = _mm256_set1_ps(-0.0f);
  return {_mm256_or_ps(x.lo, _mm256_and_ps(sign, s.lo)),
          _mm256_or_ps(x.hi, _mm256_and_ps(sign, s.hi))};
}
inline __m256 PowerOfTwo(__m256 x) {
  const __m256i shifted = _mm256_slli_epi32(_mm256_castps_si256(x), 23);
  return _mm256_castsi256_ps(_mm256_add_epi32(shifted, _mm256_set1_epi32(127 << 23)));
}
inline Lanes PowerOfTwo(const Lanes& x) { return {PowerOfTwo(x.lo), PowerOfTwo(x.hi)}; }

inline Lanes LoadWeights(const float* p) { return Load(p); }
struct Bf16 {
  uint16_t bits;
};
inline Lanes LoadWeights(const Bf16* p) {
  const __m256i pairs = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
  const __m256i high = _mm256_set1_epi32(static_cast<int>(0xffff0000u));
  return {_mm256_castsi256_ps(_mm256_slli_epi32(pairs, 16)),
          _mm256_castsi256_ps(_mm256_and_si256(pairs, high))};
}
struct F16 {
  uint16_t bits;
};
inline Lanes LoadWeights(const F16* p) {
  return {_mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p))),
          _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p + 8)))};
}

inline float SumOfLanes(const Lanes& x) {
  const __m256 eight = _mm256_add_ps(x.lo, x.hi);
  const __m128 four = _mm_add_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
  const __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
  return _mm_cvtss_f32(_mm_add_ss(two, _mm_movehdup_ps(two)));
}
inline float MaxOfLanes(const Lanes& x) {
  const __m256 eight = _mm256_max_ps(x.lo, x.hi);
  const __m128 four = _mm_max_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
  const __m128 two = _mm_max_ps(four, _mm_movehl_ps(four, four));
  return _mm_cvtss_f32(_mm_max_ss(two, _mm_movehdup_ps(two)));
}

}  // namespace
}  // namespace switchboard::backend

#endif  // SWITCHBOARD_WORKER_BACKEND_CPU_LANES_AVX2_H_
