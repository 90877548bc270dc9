// Exponential and error function over Lanes; included after a lanes_*.h, names local to that file.
#ifndef SWITCHBOARD_WORKER_BACKEND_CPU_MATH_INL_H_
#define SWITCHBOARD_WORKER_BACKEND_CPU_MATH_INL_H_

namespace switchboard::backend {
namespace {

// The coefficients from the highest power down.
template <int kTerms>
inline Lanes Polynomial(const float (&coefficients)[kTerms], const Lanes& x) {
  Lanes y = Broadcast(coefficients[0]);
  for (int i = 1; i < kTerms; ++i) y = Fma(y, x, Broadcast(coefficients[i]));
  return y;
}

// e^x to 2 units in the last place; 0 below -87.3 (where floats become subnormal), saturating
// above 88.3; NaN for NaN. x = n ln 2 + r with |r| <= ln 2 / 2, and e^r by its Taylor series.
// Adding 1.5 * 2^23 rounds to an integer that then stands in the low bits.
inline Lanes Exp(const Lanes& x) {
  constexpr float kLowest = -87.3f, kHighest = 88.3f, kRound = 12582912.0f;
  constexpr float kSeries[] = {1.0f / 5040, 1.0f / 720, 1.0f / 120, 1.0f / 24,
                               1.0f / 6,    0.5f,       1.0f,       1.0f};
  // ln 2 in two parts, the first with its low bits zero so that n times it is exact.
  constexpr float kLn2High = 0.693359375f, kLn2Low = -2.12194440e-4f;
  const Lanes clamped = Min(Broadcast(kHighest), Max(Broadcast(kLowest), x));
  const Lanes shifted = Fma(clamped, Broadcast(1.44269504f), Broadcast(kRound));
  const Lanes n = Sub(shifted, Broadcast(kRound));
  Lanes r = Fma(n, Broadcast(-kLn2High), clamped);
  r = Fma(n, Broadcast(-kLn2Low), r);
  const Lanes y = Mul(Polynomial(kSeries, r), PowerOfTwo(shifted));
  return IfLess(x, Broadcast(kLowest), Broadcast(0.0f), y);
}

// erf(x) to 2e-7. Below 0.95 the Taylor series, x times a polynomial in x^2; from there to 4 it is
// 1 - e^q(|x|), where q interpolates log(erfc) at Chebyshev points of [0.95, 4], centred at 2.475;
// beyond, erfc is below 2e-8.
inline Lanes Erf(const Lanes& x) {
  constexpr float kSeries[] = {-1.63658447e-7f, 1.64621144e-6f, -1.49256504e-5f, 1.20553330e-4f,
                               -8.54832702e-4f, 5.22397763e-3f, -2.68661706e-2f, 1.12837917e-1f,
                               -3.76126389e-1f, 1.12837917f};
  constexpr float kLogErfc[] = {1.64267897e-6f,  -1.36397416e-5f, 7.96205620e-5f,
                                -4.31899995e-4f, 2.21859891e-3f,  -1.10777170e-2f,
                                -9.43071151e-1f, -5.30550649f,    -7.67358802f};
  const Lanes magnitude = Abs(x);
  const Lanes small = Mul(x, Polynomial(kSeries, Mul(x, x)));
  const Lanes t = Sub(Min(Broadcast(4.0f), magnitude), Broadcast(2.475f));
  const Lanes large = Sub(Broadcast(1.0f), Exp(Polynomial(kLogErfc, t)));
  return IfLess(magnitude, Broadcast(0.95f), small, WithSign(large, x));
}

}  // namespace
}  // namespace switchboard::backend

#endif  // SWITCHBOARD_WORKER_BACKEND_CPU_MATH_INL_H_
