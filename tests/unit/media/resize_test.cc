#include "media/resize.h"

#include <gtest/gtest.h>

#include "media/resize_taps.h"

namespace switchboard::media {
namespace {

constexpr ResizeRounding kBoth[] = {ResizeRounding::kFast, ResizeRounding::kPillow};

RgbImage Gray(int width, int height, const std::vector<uint8_t>& samples) {
  RgbImage image{width, height, {}};
  for (const uint8_t sample : samples) image.pixels.insert(image.pixels.end(), 3, sample);
  return image;
}

TEST(ResizeTest, TheSameSizeIsTheSamePicture) {
  const RgbImage image = Gray(2, 2, {1, 250, 7, 99});
  for (const ResizeRounding rounding : kBoth) {
    EXPECT_EQ(ResizeBicubic(image, {2, 2}, rounding).pixels, image.pixels);
  }
}

TEST(ResizeTest, AFlatPictureStaysFlat) {
  const RgbImage image = Gray(7, 5, std::vector<uint8_t>(35, 201));
  for (const ResizeRounding rounding : kBoth) {
    for (const Size size : {Size{28, 56}, {2, 3}, {5, 84}, {84, 7}, {1, 1}}) {
      const RgbImage out = ResizeBicubic(image, size, rounding);
      EXPECT_EQ(out.width, size.width);
      EXPECT_EQ(out.height, size.height);
      EXPECT_EQ(out.pixels, std::vector<uint8_t>(size_t{3} * size.width * size.height, 201));
    }
  }
}

// Halving two samples: both lie a quarter of the widened kernel off the centre, so both weigh 1/2.
TEST(ResizeTest, HalvingTwoSamplesRoundsTheirMean) {
  for (const ResizeRounding rounding : kBoth) {
    EXPECT_EQ(ResizeBicubic(Gray(2, 1, {10, 21}), {1, 1}, rounding).pixels[0], 16);
    EXPECT_EQ(ResizeBicubic(Gray(1, 2, {10, 20}), {1, 1}, rounding).pixels[0], 15);
  }
}

// Doubling 0, 255: the kernel at distances 1/4 and 3/4 is 111/128 and 29/128; the neighbours that
// would have been -9/128 and -3/128 are cut off and the rest is normalised. Sample 0 has only
// itself and its right neighbour (distance 1.25: -9/128): 255 * -9/102 < 0, which clamps.
TEST(ResizeTest, UndershootAndOvershootAreClamped) {
  for (const ResizeRounding rounding : kBoth) {
    const RgbImage out = ResizeBicubic(Gray(2, 1, {0, 255}), {1, 4}, rounding);
    const uint8_t inner = 53;  // 255 * 29/140 = 52.8
    EXPECT_EQ(out.row(0)[0], 0);
    EXPECT_EQ(out.row(0)[3], inner);
    EXPECT_EQ(out.row(0)[6], 255 - inner);
    EXPECT_EQ(out.row(0)[9], 255);
  }
}

TEST(ResizeTest, TheFastWeightsFit16Bits) {
  for (const auto& [in, out] : {std::pair(1080, 1092), {2400, 2352}, {5, 5}, {3000, 28}, {1, 84}}) {
    const ResizeTaps taps = MakeResizeTaps(in, out, ResizeRounding::kFast);
    for (const int32_t weight : taps.weights) {
      EXPECT_LT(weight, 1 << 15);
      EXPECT_GT(weight, -(1 << 15));
    }
  }
  EXPECT_EQ(MakeResizeTaps(5, 5, ResizeRounding::kFast).bits, 14);  // the largest weight is 1
  EXPECT_EQ(MakeResizeTaps(2, 1, ResizeRounding::kFast).bits, 15);  // 1/2
  EXPECT_EQ(MakeResizeTaps(3000, 28, ResizeRounding::kFast).bits, 21);
}

TEST(ResizeTest, ColoursDoNotMix) {
  RgbImage image{2, 2, {}};
  for (int i = 0; i < 4; ++i) image.pixels.insert(image.pixels.end(), {10, 120, 230});
  const RgbImage out = ResizeBicubic(image, {3, 5});
  for (size_t i = 0; i < out.pixels.size(); i += 3) {
    EXPECT_EQ(out.pixels[i], 10);
    EXPECT_EQ(out.pixels[i + 1], 120);
    EXPECT_EQ(out.pixels[i + 2], 230);
  }
}

}  // namespace
}  // namespace switchboard::media
