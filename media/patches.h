// Pixels to the rows that a vision tower multiplies with its first matrix.
#ifndef SWITCHBOARD_MEDIA_PATCHES_H_
#define SWITCHBOARD_MEDIA_PATCHES_H_

#include <array>
#include <vector>

#include "media/rgb_image.h"
#include "media/smart_resize.h"

namespace switchboard::media {

// Per channel; the defaults are CLIP's.
struct PixelNormalization {
  std::array<float, 3> mean = {0.48145466f, 0.4578275f, 0.40821073f};
  std::array<float, 3> deviation = {0.26862954f, 0.26130258f, 0.27577711f};
};

// Floats per patch: 3 * temporal_patch_size * patch_size^2.
int PatchWidth(const PatchGrid& grid);

// Normalised rows, float [grid_h * grid_w, PatchWidth(grid)]. A value is (p - 255 * mean) / (255 *
// deviation) in float. Rows go by token: token row, token column, then the patches inside a token,
// row by row. Inside a row: channel, temporal copy (all equal for a still image), y, x.
// REQUIRES: both sides of `resized` are multiples of patch_size * merge_size.
std::vector<float> MakePatches(const RgbImage& resized, const PatchGrid& grid,
                               const PixelNormalization& normalization);

}  // namespace switchboard::media

#endif  // SWITCHBOARD_MEDIA_PATCHES_H_
