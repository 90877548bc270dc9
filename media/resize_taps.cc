#include "media/resize_taps.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"

namespace switchboard::media {
namespace {

constexpr double kSupport = 2.0;  // the kernel is zero beyond
constexpr int kMaxBits = 22;      // 8 for the sample, one for the sign of 32, one of headroom

// Keys' cubic with a = -0.5.
double Cubic(double x) {
  constexpr double a = -0.5;
  x = std::abs(x);
  if (x < 1.0) return ((a + 2.0) * x - (a + 3.0)) * x * x + 1.0;
  if (x < 2.0) return (((x - 5.0) * x + 8.0) * x - 4.0) * a;
  return 0.0;
}

// Weights still in double, laid out like ResizeTaps::weights.
std::vector<double> ExactWeights(int in, int out, ResizeTaps* taps) {
  const double scale = static_cast<double>(in) / out;
  const double widen = std::max(scale, 1.0);  // shrinking: the kernel covers what it averages
  const double support = kSupport * widen;
  taps->stride = static_cast<int>(std::ceil(support)) * 2 + 1;
  std::vector<double> weights(static_cast<size_t>(out) * taps->stride);
  for (int i = 0; i < out; ++i) {
    const double centre = (i + 0.5) * scale;
    const int first = std::max(0, static_cast<int>(centre - support + 0.5));
    const int end = std::min(in, static_cast<int>(centre + support + 0.5));
    double* row = weights.data() + static_cast<size_t>(i) * taps->stride;
    double sum = 0.0;
    for (int j = first; j < end; ++j) {
      row[j - first] = Cubic((j - centre + 0.5) / widen);
      sum += row[j - first];
    }
    for (int k = 0; k < end - first; ++k) row[k] /= sum;
    taps->first.push_back(first);
    taps->count.push_back(end - first);
  }
  return weights;
}

// The fast rounding keeps weights in 16 signed bits.
int FastBits(const std::vector<double>& weights) {
  const double largest = *std::max_element(weights.begin(), weights.end());
  int bits = 0;
  while (bits < kMaxBits && static_cast<int>(0.5 + largest * (1 << (bits + 1))) < (1 << 15)) ++bits;
  return bits;
}

}  // namespace

ResizeTaps MakeResizeTaps(int in, int out, ResizeRounding rounding) {
  CHECK(in >= 1 && out >= 1);
  ResizeTaps taps;
  const std::vector<double> exact = ExactWeights(in, out, &taps);
  taps.bits = rounding == ResizeRounding::kFast ? FastBits(exact) : kMaxBits;
  taps.weights.reserve(exact.size());
  for (const double weight : exact) {
    const double fixed = weight * (1 << taps.bits);
    taps.weights.push_back(static_cast<int32_t>(fixed < 0 ? fixed - 0.5 : fixed + 0.5));
  }
  return taps;
}

}  // namespace switchboard::media
