#include "worker/backend/cpu/row_ops.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

namespace switchboard::backend {
namespace {

// Sums of x^k / k! for |x| <= pi / 4, in double: the first term left out is below 1e-13.
double SineSeries(double x) {
  const double s = x * x;
  double y = -1.0 / 39916800;
  for (const double c : {1.0 / 362880, -1.0 / 5040, 1.0 / 120, -1.0 / 6}) y = std::fma(y, s, c);
  return std::fma(y * s, x, x);
}

double CosineSeries(double x) {
  const double s = x * x;
  double y = 1.0 / 479001600;
  for (const double c : {-1.0 / 3628800, 1.0 / 40320, -1.0 / 720, 1.0 / 24, -0.5}) {
    y = std::fma(y, s, c);
  }
  return std::fma(y, s, 1.0);
}

}  // namespace

void CosSinOf(float angle, float* cosine, float* sine) {
  // angle = n pi/2 + x; pi/2 in two parts. Adding 1.5 * 2^52 rounds to an integer that stands in
  // the low bits.
  constexpr double kRound = 6755399441055744.0;
  constexpr double kHalfPiHigh = 1.5707963267948966, kHalfPiLow = 6.123233995736766e-17;
  const double shifted = std::fma(static_cast<double>(angle), 0.6366197723675814, kRound);
  const double n = shifted - kRound;
  const double x = std::fma(-n, kHalfPiLow, std::fma(-n, kHalfPiHigh, static_cast<double>(angle)));
  const uint64_t quarter = std::bit_cast<uint64_t>(shifted) & 3u;
  const double s = SineSeries(x), c = CosineSeries(x);
  const double sine_of[] = {s, c, -s, -c}, cosine_of[] = {c, -s, -c, s};
  *sine = static_cast<float>(sine_of[quarter]);
  *cosine = static_cast<float>(cosine_of[quarter]);
}

void RotateAdjacentRow(float* x, int heads, int head_dim, int64_t pairs, const float* cosines,
                       const float* sines) {
  for (int h = 0; h < heads; ++h, x += head_dim) {
    for (int64_t i = 0; i < pairs; ++i) {
      const float a = x[2 * i], b = x[2 * i + 1];
      x[2 * i] = a * cosines[i] - b * sines[i];
      x[2 * i + 1] = b * cosines[i] + a * sines[i];
    }
  }
}

void RotateHalvesRow(float* x, int heads, int head_dim, int64_t pairs, const float* cosines,
                     const float* sines) {
  for (int h = 0; h < heads; ++h, x += head_dim) {
    for (int64_t i = 0; i < pairs; ++i) {
      const float a = x[i], b = x[pairs + i];
      x[i] = a * cosines[i] - b * sines[i];
      x[pairs + i] = b * cosines[i] + a * sines[i];
    }
  }
}

CubicTaps TapsAt(float sample, int side) {
  constexpr float kA = -0.75f;
  const auto near = [](float u) { return ((kA + 2) * u - (kA + 3)) * u * u + 1; };
  const auto far = [](float u) { return ((kA * u - 5 * kA) * u + 8 * kA) * u - 4 * kA; };
  const float floor = std::floor(sample);
  const float t = sample - floor;
  CubicTaps taps = {.cell = {}, .weight = {far(t + 1), near(t), near(1 - t), far(2 - t)}};
  for (int i = 0; i < 4; ++i) {
    taps.cell[i] = std::clamp(static_cast<int>(floor) - 1 + i, 0, side - 1);
  }
  return taps;
}

void AddBicubicRow(absl::Span<const float> table, int side, const CubicTaps& down,
                   const CubicTaps& across, int64_t width, float* y) {
  const float* cell[4][4];
  for (int j = 0; j < 4; ++j) {
    for (int i = 0; i < 4; ++i) {
      cell[j][i] = table.data() + (int64_t{down.cell[j]} * side + across.cell[i]) * width;
    }
  }
  for (int64_t k = 0; k < width; ++k) {
    float sum = 0;
    for (int j = 0; j < 4; ++j) {
      float line = 0;
      for (int i = 0; i < 4; ++i) line += across.weight[i] * cell[j][i][k];
      sum += down.weight[j] * line;
    }
    y[k] += sum;
  }
}

}  // namespace switchboard::backend
