// How large an image is made before it is cut into patches, and how many prompt tokens it takes.
// The arithmetic of Glm4vImageProcessor's smart_resize, to the last rounding: gateway, worker and
// the reference must agree on every count.
#ifndef SWITCHBOARD_MEDIA_SMART_RESIZE_H_
#define SWITCHBOARD_MEDIA_SMART_RESIZE_H_

#include <cstdint>

#include "absl/status/statusor.h"

namespace switchboard::media {

// Longer side over shorter side, at most.
inline constexpr int kMaxAspectRatio = 200;
// Bound on PatchGrid::max_pixels, so that no configuration leads to absurd sizes.
inline constexpr int64_t kMaxPixelBudget = int64_t{1} << 30;

// A model's image input, from its preprocessor_config.json.
struct PatchGrid {
  int patch_size = 14;          // pixels per patch side
  int merge_size = 2;           // patches per token side
  int temporal_patch_size = 2;  // frames per patch; a still image counts as that many frames
  // Bounds on frames * height * width after resizing ("shortest_edge" and "longest_edge").
  int64_t min_pixels = 12544;
  int64_t max_pixels = 9633792;
};

struct Size {
  int height = 0, width = 0;
};

// Height and width for `frames` frames of that size (a still image: temporal_patch_size frames):
// multiples of patch_size * merge_size. InvalidArgument, naming the numbers: a side below 1, more
// than kMaxImagePixels pixels, an aspect ratio above kMaxAspectRatio (after sides shorter than one
// token have been enlarged), fewer frames than a patch has or 1,000,000 and more, a grid whose
// sizes are not positive or too large.
absl::StatusOr<Size> SmartResize(int64_t height, int64_t width, int frames, const PatchGrid& grid);

// An image's place in a prompt.
struct ImagePlacement {
  Size resized;
  int grid_h = 0, grid_w = 0;  // patches
  int tokens = 0;              // placeholders: grid_h * grid_w / merge_size^2
};

// The same for a still image with upright size `height` x `width`.
absl::StatusOr<ImagePlacement> PlaceImage(int64_t height, int64_t width, const PatchGrid& grid);

}  // namespace switchboard::media

#endif  // SWITCHBOARD_MEDIA_SMART_RESIZE_H_
