#include "media/resize.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/check.h"
#include "media/resize_taps.h"

namespace switchboard::media {
namespace {

// Samples per block of the vertical pass: their sums stay in the first cache over all taps.
constexpr size_t kBlock = 512;

uint8_t ToSample(int32_t sum, int bits) {
  return static_cast<uint8_t>(std::clamp(sum >> bits, 0, 255));
}

// One row of pixels, resized. `Weight` is int16_t when all weights fit, which lets the compiler use
// 16-bit multiplications.
template <typename Weight>
void ResizeRow(const uint8_t* in, const ResizeTaps& taps, uint8_t* out) {
  const int32_t half = 1 << (taps.bits - 1);
  for (size_t x = 0; x < taps.first.size(); ++x, out += 3) {
    const uint8_t* pixel = in + size_t{3} * taps.first[x];
    const int32_t* weights = taps.weight(x);
    int32_t red = half, green = half, blue = half;
    for (int32_t k = 0; k < taps.count[x]; ++k, pixel += 3) {
      const auto weight = static_cast<Weight>(weights[k]);
      red += weight * pixel[0];
      green += weight * pixel[1];
      blue += weight * pixel[2];
    }
    out[0] = ToSample(red, taps.bits);
    out[1] = ToSample(green, taps.bits);
    out[2] = ToSample(blue, taps.bits);
  }
}

// The weighted sum of whole rows of `samples` samples.
template <typename Weight>
void MixRows(const std::vector<const uint8_t*>& rows, const int32_t* weights, int bits,
             size_t samples, uint8_t* out) {
  int32_t sums[kBlock];
  for (size_t begin = 0; begin < samples; begin += kBlock) {
    const size_t count = std::min(kBlock, samples - begin);
    std::fill_n(sums, count, 1 << (bits - 1));
    for (size_t k = 0; k < rows.size(); ++k) {
      const auto weight = static_cast<Weight>(weights[k]);
      const uint8_t* row = rows[k] + begin;
      for (size_t i = 0; i < count; ++i) sums[i] += weight * row[i];
    }
    for (size_t i = 0; i < count; ++i) out[begin + i] = ToSample(sums[i], bits);
  }
}

// Both passes, row by row: only the horizontally resized rows under the vertical kernel are kept,
// in a ring. A pass that keeps its size would copy every sample, so it is left out.
template <typename Weight>
void Resize(const RgbImage& in, const ResizeTaps& columns, const ResizeTaps& rows, RgbImage* out) {
  const size_t row_bytes = size_t{3} * out->width;
  const bool keep_width = in.width == out->width;
  std::vector<uint8_t> ring(keep_width ? 0 : row_bytes * rows.stride);
  std::vector<const uint8_t*> window;
  int next = 0;  // first row of `in` that is not in the ring yet
  for (int y = 0; y < out->height; ++y) {
    const int first = rows.first[y], end = first + rows.count[y];
    window.clear();
    for (int r = first; r < end; ++r) {
      uint8_t* slot = ring.data() + (keep_width ? 0 : row_bytes * (r % rows.stride));
      if (!keep_width && r >= next) {
        ResizeRow<Weight>(in.row(r), columns, slot);
        next = r + 1;
      }
      window.push_back(keep_width ? in.row(r) : slot);
    }
    MixRows<Weight>(window, rows.weight(y), rows.bits, row_bytes, out->row(y));
  }
}

template <typename Weight>
void ResizeWidth(const RgbImage& in, const ResizeTaps& columns, RgbImage* out) {
  for (int y = 0; y < out->height; ++y) ResizeRow<Weight>(in.row(y), columns, out->row(y));
}

// Pillow from version 13 on: whether the vertical pass goes first, because it leaves less to do.
bool PillowStartsVertically(const RgbImage& image, Size size) {
  return image.width != size.width && size.height < image.height &&
         int64_t{image.width} * size.height < int64_t{size.width} * image.height;
}

}  // namespace

RgbImage ResizeBicubic(const RgbImage& image, Size size, ResizeRounding rounding) {
  CHECK(image.width >= 1 && image.height >= 1 && size.width >= 1 && size.height >= 1);
  if (image.width == size.width && image.height == size.height) return image;
  if (rounding == ResizeRounding::kPillow && PillowStartsVertically(image, size)) {
    const Size height_only{size.height, image.width};
    return ResizeBicubic(ResizeBicubic(image, height_only, rounding), size, rounding);
  }
  RgbImage out;
  out.width = size.width;
  out.height = size.height;
  out.pixels.resize(size_t{3} * size.width * size.height);

  const bool fast = rounding == ResizeRounding::kFast;
  const ResizeTaps columns = MakeResizeTaps(image.width, size.width, rounding);
  if (image.height == size.height) {
    (fast ? ResizeWidth<int16_t> : ResizeWidth<int32_t>)(image, columns, &out);
    return out;
  }
  const ResizeTaps rows = MakeResizeTaps(image.height, size.height, rounding);
  (fast ? Resize<int16_t> : Resize<int32_t>)(image, columns, rows, &out);
  return out;
}

}  // namespace switchboard::media
