// A picture in memory: 8-bit RGB, nothing else.
#ifndef SWITCHBOARD_MEDIA_RGB_IMAGE_H_
#define SWITCHBOARD_MEDIA_RGB_IMAGE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace switchboard::media {

struct RgbImage {
  int width = 0, height = 0;
  std::vector<uint8_t> pixels;  // [height, width, 3], rows top to bottom

  const uint8_t* row(int y) const { return pixels.data() + static_cast<size_t>(y) * width * 3; }
  uint8_t* row(int y) { return pixels.data() + static_cast<size_t>(y) * width * 3; }
};

}  // namespace switchboard::media

#endif  // SWITCHBOARD_MEDIA_RGB_IMAGE_H_
