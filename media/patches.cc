#include "media/patches.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/check.h"

namespace switchboard::media {
namespace {

// A sample has 256 values: the normalised ones are looked up.
using SampleTable = std::array<std::array<float, 256>, 3>;

SampleTable MakeTable(const PixelNormalization& normalization) {
  SampleTable table;
  for (int c = 0; c < 3; ++c) {
    const float mean = 255.0f * normalization.mean[c];
    const float deviation = 255.0f * normalization.deviation[c];
    for (int p = 0; p < 256; ++p) table[c][p] = (static_cast<float>(p) - mean) / deviation;
  }
  return table;
}

// The row of the patch whose first pixel is at (y0, x0).
void WritePatch(const RgbImage& image, const PatchGrid& grid, const SampleTable& table, int y0,
                int x0, float* out) {
  const int side = grid.patch_size;
  const size_t plane = static_cast<size_t>(side) * side;
  for (int c = 0; c < 3; ++c) {
    const float* first = out;
    for (int y = 0; y < side; ++y) {
      const uint8_t* in = image.row(y0 + y) + size_t{3} * x0 + c;
      for (int x = 0; x < side; ++x) *out++ = table[c][in[size_t{3} * x]];
    }
    for (int copy = 1; copy < grid.temporal_patch_size; ++copy) {
      out = std::copy_n(first, plane, out);
    }
  }
}

}  // namespace

int PatchWidth(const PatchGrid& grid) {
  return 3 * grid.temporal_patch_size * grid.patch_size * grid.patch_size;
}

std::vector<float> MakePatches(const RgbImage& resized, const PatchGrid& grid,
                               const PixelNormalization& normalization) {
  const int side = grid.patch_size, merge = grid.merge_size, token = side * merge;
  CHECK(resized.height % token == 0 && resized.width % token == 0);
  const SampleTable table = MakeTable(normalization);
  const size_t width = PatchWidth(grid);
  std::vector<float> rows, row(width);
  rows.reserve(static_cast<size_t>(resized.height / side) * (resized.width / side) * width);
  for (int y0 = 0; y0 < resized.height; y0 += token) {
    for (int x0 = 0; x0 < resized.width; x0 += token) {
      for (int dy = 0; dy < merge; ++dy) {
        for (int dx = 0; dx < merge; ++dx) {
          WritePatch(resized, grid, table, y0 + dy * side, x0 + dx * side, row.data());
          rows.insert(rows.end(), row.begin(), row.end());
        }
      }
    }
  }
  return rows;
}

}  // namespace switchboard::media
