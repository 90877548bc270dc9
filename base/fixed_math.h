// exp and log with a fixed sequence of IEEE operations: the same bits on every machine, compiler
// and C library, which the library's own functions do not promise. Sampling compares such values
// and rotary angles are made of them, so one differing last bit could change a token. Both are
// within 2 units in the last place of the true value.
#ifndef SWITCHBOARD_BASE_FIXED_MATH_H_
#define SWITCHBOARD_BASE_FIXED_MATH_H_

#include <bit>
#include <cstdint>

namespace switchboard {

// ln 2 in two parts; the high part has 21 zero bits at its end, so exponent * kLn2High is exact.
inline constexpr double kLn2High = 0x1.62e42fee00000p-1;
inline constexpr double kLn2Low = 0x1.a39ef35793c76p-33;

// Natural logarithm. REQUIRES: x is positive, finite and normal. x = 2^e * m with m in [sqrt(1/2),
// sqrt(2)); with s = (m - 1) / (m + 1), ln m = 2 (s + s^3/3 + s^5/5 + ...).
inline double FixedLog(double x) {
  constexpr uint64_t kMantissa = (uint64_t{1} << 52) - 1;
  constexpr uint64_t kSqrtHalf = 0x3FE6A09E667F3BCD;
  const uint64_t bits = std::bit_cast<uint64_t>(x);
  // Shifting by sqrt(1/2) before splitting puts m into the wanted interval without a branch.
  const uint64_t shifted = bits - kSqrtHalf;
  const double e = static_cast<double>(static_cast<int64_t>(shifted) >> 52);
  const double m = std::bit_cast<double>((shifted & kMantissa) + kSqrtHalf);
  const double f = m - 1.0;
  const double s = f / (2.0 + f);
  const double q = s * s;
  double series = 1.0 / 21;
  series = series * q + 1.0 / 19;
  series = series * q + 1.0 / 17;
  series = series * q + 1.0 / 15;
  series = series * q + 1.0 / 13;
  series = series * q + 1.0 / 11;
  series = series * q + 1.0 / 9;
  series = series * q + 1.0 / 7;
  series = series * q + 1.0 / 5;
  series = series * q + 1.0 / 3;
  // 2 s = f - s f, which keeps the exact f as the leading term.
  const double tail = 2.0 * s * q * series - s * f;
  return e * kLn2High + (f + (tail + e * kLn2Low));
}

// e^x; 0 below -700. REQUIRES: x <= 700 and not NaN. x = k ln 2 + r with |r| <= ln(2)/2; e^r by its
// Taylor series.
inline double FixedExp(double x) {
  constexpr double kInverseLn2 = 0x1.71547652b82fep0;
  // Adding and subtracting 1.5 * 2^52 rounds to the nearest integer, which also stands in the low
  // bits.
  constexpr double kRound = 0x1.8p52;
  constexpr double kLeast = -700.0;
  // No branch, so that loops over it become vector code: below the limit the result is thrown away.
  const double bounded = x < kLeast ? kLeast : x;
  const double shifted = bounded * kInverseLn2 + kRound;
  const double k = shifted - kRound;
  const double r = (bounded - k * kLn2High) - k * kLn2Low;
  double series = 1.0 / 6227020800;
  series = series * r + 1.0 / 479001600;
  series = series * r + 1.0 / 39916800;
  series = series * r + 1.0 / 3628800;
  series = series * r + 1.0 / 362880;
  series = series * r + 1.0 / 40320;
  series = series * r + 1.0 / 5040;
  series = series * r + 1.0 / 720;
  series = series * r + 1.0 / 120;
  series = series * r + 1.0 / 24;
  series = series * r + 1.0 / 6;
  series = series * r + 0.5;
  const double value = 1.0 + (r + r * r * series);
  // Multiplies by 2^k through the exponent bits.
  const double scaled = std::bit_cast<double>(std::bit_cast<uint64_t>(value) +
                                              (std::bit_cast<uint64_t>(shifted) << 52));
  return x < kLeast ? 0.0 : scaled;
}

}  // namespace switchboard

#endif  // SWITCHBOARD_BASE_FIXED_MATH_H_
