#include "media/orientation.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "base/check.h"

namespace switchboard::media {
namespace {

// Side of the squares that are copied one after the other: for a transposition, the rows read and
// the rows written of one square stay in the first cache.
constexpr int kTile = 32;

}  // namespace

// EXIF values say where row 0 and column 0 of the stored picture lie in the upright one:
//   1 top left    2 top right    3 bottom right    4 bottom left
//   5 left top    6 right top    7 right bottom    8 left bottom
// 5..8 exchange rows and columns first. So the upright pixel (x, y) is a stored one that is found
// with a fixed step per x and a fixed step per y.
RgbImage TurnUpright(RgbImage stored, int orientation) {
  CHECK(orientation >= 1 && orientation <= 8);
  if (orientation == 1) return stored;
  const bool transposed = orientation >= 5;
  const bool x_reversed =
      orientation == 2 || orientation == 3 || orientation == 6 || orientation == 7;
  const bool y_reversed =
      orientation == 3 || orientation == 4 || orientation == 7 || orientation == 8;

  RgbImage upright;
  upright.width = transposed ? stored.height : stored.width;
  upright.height = transposed ? stored.width : stored.height;
  upright.pixels.resize(stored.pixels.size());

  const ptrdiff_t pixel = 3, row = ptrdiff_t{3} * stored.width;
  ptrdiff_t step_x = transposed ? row : pixel, step_y = transposed ? pixel : row;
  const uint8_t* origin = stored.pixels.data();
  if (x_reversed) {
    origin += step_x * (upright.width - 1);
    step_x = -step_x;
  }
  if (y_reversed) {
    origin += step_y * (upright.height - 1);
    step_y = -step_y;
  }
  for (int y0 = 0; y0 < upright.height; y0 += kTile) {
    const int y1 = std::min(y0 + kTile, upright.height);
    for (int x0 = 0; x0 < upright.width; x0 += kTile) {
      const int x1 = std::min(x0 + kTile, upright.width);
      for (int y = y0; y < y1; ++y) {
        uint8_t* out = upright.row(y) + ptrdiff_t{3} * x0;
        const uint8_t* in = origin + step_y * y + step_x * x0;
        for (int x = x0; x < x1; ++x, out += 3, in += step_x) std::copy_n(in, 3, out);
      }
    }
  }
  return upright;
}

}  // namespace switchboard::media
