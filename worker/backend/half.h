// The two 16-bit float formats of checkpoints, converted exactly, one number at a time.
#ifndef SWITCHBOARD_WORKER_BACKEND_HALF_H_
#define SWITCHBOARD_WORKER_BACKEND_HALF_H_

#include <bit>
#include <cstdint>

namespace switchboard::backend {

inline float Bf16ToFloat(uint16_t bits) { return std::bit_cast<float>(uint32_t{bits} << 16); }

// Rounds to the nearest, ties to even; a NaN stays a (quiet) NaN.
inline uint16_t FloatToBf16(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return static_cast<uint16_t>((bits >> 16) | 0x40u);
  return static_cast<uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}

inline float F16ToFloat(uint16_t bits) {
  const uint32_t sign = uint32_t{bits & 0x8000u} << 16;
  const uint32_t exponent = (bits >> 10) & 0x1fu;
  const uint32_t mantissa = bits & 0x3ffu;
  if (exponent == 0) {  // zero and subnormals: mantissa times 2^-24, exact in float
    const float magnitude = static_cast<float>(mantissa) * 0x1p-24f;
    return sign == 0 ? magnitude : -magnitude;
  }
  const uint32_t widened = exponent == 31 ? 0xffu : exponent + 112u;
  return std::bit_cast<float>(sign | (widened << 23) | (mantissa << 13));
}

}  // namespace switchboard::backend

#endif  // SWITCHBOARD_WORKER_BACKEND_HALF_H_
