#include "worker/backend/quant.h"

#include <cstddef>
#include <cstring>

#include "worker/backend/half.h"

// A block is little-endian and packed. All products and sums below are single float operations in
// the order of the reference; contraction to fma would change the last bit (and is off globally).
namespace switchboard::backend {
namespace {

constexpr int kSmall = 32;   // values of a block with one scale
constexpr int kSuper = 256;  // values of a K block, whose scales are themselves quantised

float HalfAt(const uint8_t* bytes) {
  uint16_t bits;
  std::memcpy(&bits, bytes, sizeof(bits));
  return F16ToFloat(bits);
}

const uint8_t* Bytes(const char* block) { return reinterpret_cast<const uint8_t*>(block); }

// d (fp16), 16 bytes: value i in the low half of byte i, value 16 + i in the high half.
void WidenQ4_0(const char* block, float* y) {
  const uint8_t* b = Bytes(block);
  const float d = HalfAt(b);
  for (int i = 0; i < kSmall / 2; ++i) {
    y[i] = d * static_cast<float>((b[2 + i] & 15) - 8);
    y[kSmall / 2 + i] = d * static_cast<float>((b[2 + i] >> 4) - 8);
  }
}

// d, m (fp16), 16 bytes as above.
void WidenQ4_1(const char* block, float* y) {
  const uint8_t* b = Bytes(block);
  const float d = HalfAt(b), m = HalfAt(b + 2);
  for (int i = 0; i < kSmall / 2; ++i) {
    y[i] = d * static_cast<float>(b[4 + i] & 15) + m;
    y[kSmall / 2 + i] = d * static_cast<float>(b[4 + i] >> 4) + m;
  }
}

// d (fp16), 32 signed bytes.
void WidenQ8_0(const char* block, float* y) {
  const uint8_t* b = Bytes(block);
  const float d = HalfAt(b);
  for (int i = 0; i < kSmall; ++i) y[i] = d * static_cast<float>(static_cast<int8_t>(b[2 + i]));
}

// Eight scales and eight minima of 6 bits in 12 bytes. Those of groups 0 to 3 are the low 6 bits of
// bytes 0 to 3 and 4 to 7; those of groups 4 to 7 have their low 4 bits in bytes 8 to 11 and their
// high 2 bits on top of bytes 0 to 7.
struct Scales {
  float d[8], m[8];
};
Scales UnpackScales(const uint8_t* b, float d, float m) {
  Scales scales;
  for (int i = 0; i < 4; ++i) {
    const int scale = (b[8 + i] & 15) | (b[i] >> 6 << 4);
    const int minimum = (b[8 + i] >> 4) | (b[4 + i] >> 6 << 4);
    scales.d[i] = d * static_cast<float>(b[i] & 63);
    scales.m[i] = m * static_cast<float>(b[4 + i] & 63);
    scales.d[4 + i] = d * static_cast<float>(scale);
    scales.m[4 + i] = m * static_cast<float>(minimum);
  }
  return scales;
}

// d, dmin (fp16), 12 bytes of scales, 128 bytes: 32 bytes hold group 2g low and group 2g + 1 high.
void WidenQ4_K(const char* block, float* y) {
  const uint8_t* b = Bytes(block);
  const Scales scales = UnpackScales(b + 4, HalfAt(b), HalfAt(b + 2));
  const uint8_t* low = b + 16;
  for (int group = 0; group < 8; ++group) {
    const uint8_t* bytes = low + ptrdiff_t{32} * (group / 2);
    for (int i = 0; i < 32; ++i) {
      const int q = group % 2 == 0 ? bytes[i] & 15 : bytes[i] >> 4;
      y[32 * group + i] = scales.d[group] * static_cast<float>(q) - scales.m[group];
    }
  }
}

// As Q4_K, with 32 bytes of fifth bits before the 128: bit g of byte i belongs to value i of group
// g.
void WidenQ5_K(const char* block, float* y) {
  const uint8_t* b = Bytes(block);
  const Scales scales = UnpackScales(b + 4, HalfAt(b), HalfAt(b + 2));
  const uint8_t* high = b + 16;
  const uint8_t* low = b + 48;
  for (int group = 0; group < 8; ++group) {
    const uint8_t* bytes = low + ptrdiff_t{32} * (group / 2);
    for (int i = 0; i < 32; ++i) {
      const int q =
          (group % 2 == 0 ? bytes[i] & 15 : bytes[i] >> 4) | ((high[i] >> group & 1) << 4);
      y[32 * group + i] = scales.d[group] * static_cast<float>(q) - scales.m[group];
    }
  }
}

// 128 bytes of low halves, 64 bytes of upper 2 bits, 16 signed scales, d (fp16). Values come in two
// halves of four runs of 32: run r of a half has its low bits in the half's bytes 32 (r % 2) ...,
// low part for r < 2, and its upper bits at bit 2r of the half's 32 bytes.
void WidenQ6_K(const char* block, float* y) {
  const uint8_t* b = Bytes(block);
  const float d = HalfAt(b + 208);
  for (int run = 0; run < 8; ++run) {
    const int half = run / 4, r = run % 4;
    const uint8_t* low = b + ptrdiff_t{64} * half + ptrdiff_t{32} * (r % 2);
    const uint8_t* high = b + 128 + ptrdiff_t{32} * half;
    for (int i = 0; i < 32; ++i) {
      const int value = 32 * run + i;
      const int q = (r < 2 ? low[i] & 15 : low[i] >> 4) | ((high[i] >> (2 * r) & 3) << 4);
      const float scale = d * static_cast<float>(static_cast<int8_t>(b[192 + value / 16]));
      y[value] = scale * static_cast<float>(q - 32);
    }
  }
}

constexpr BlockFormat kFormats[] = {
    {"Q4_0", kSmall, 18, WidenQ4_0},  {"Q4_1", kSmall, 20, WidenQ4_1},
    {"Q8_0", kSmall, 34, WidenQ8_0},  {"Q4_K", kSuper, 144, WidenQ4_K},
    {"Q5_K", kSuper, 176, WidenQ5_K}, {"Q6_K", kSuper, 210, WidenQ6_K}};

}  // namespace

const BlockFormat* FindBlockFormat(absl::string_view name) {
  for (const BlockFormat& format : kFormats) {
    if (format.name == name) return &format;
  }
  return nullptr;
}

}  // namespace switchboard::backend
