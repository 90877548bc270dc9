// Bicubic resizing with anti-aliasing, to the bit as the reference image processors do it.
#ifndef SWITCHBOARD_MEDIA_RESIZE_H_
#define SWITCHBOARD_MEDIA_RESIZE_H_

#include "media/rgb_image.h"
#include "media/smart_resize.h"

namespace switchboard::media {

// The references differ in the fixed-point width of their weights and in the order of the passes,
// by at most 3 levels in a sample.
enum class ResizeRounding {
  kFast,    // torchvision's 8-bit kernel, which deployments of the model run: 16-bit weights
  kPillow,  // Pillow 13: 22 binary places; the vertical pass first when the height shrinks more
};

// Horizontal pass first (see kPillow), rounded to 8 bits, then the vertical one; a pass that keeps
// its size is left out. Kernel: cubic with a = -0.5, widened by the scale when shrinking, weights
// normalised per sample, edges cut off (not repeated).
// REQUIRES: no side of `image` or `size` is below 1.
RgbImage ResizeBicubic(const RgbImage& image, Size size,
                       ResizeRounding rounding = ResizeRounding::kFast);

}  // namespace switchboard::media

#endif  // SWITCHBOARD_MEDIA_RESIZE_H_
