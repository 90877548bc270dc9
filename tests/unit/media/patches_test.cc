#include "media/patches.h"

#include <gtest/gtest.h>

namespace switchboard::media {
namespace {

TEST(PatchesTest, SamplesAreNormalisedByClipsStatistics) {
  RgbImage image{28, 28, std::vector<uint8_t>(28 * 28 * 3, 0)};
  std::vector<float> rows = MakePatches(image, PatchGrid(), PixelNormalization());
  ASSERT_EQ(rows.size(), 4u * 1176);
  EXPECT_NEAR(rows[0], -1.79226, 1e-5);
  EXPECT_NEAR(rows[392], -1.75210, 1e-5);
  EXPECT_NEAR(rows[784], -1.48022, 1e-5);
  image.pixels.assign(image.pixels.size(), 255);
  rows = MakePatches(image, PatchGrid(), PixelNormalization());
  EXPECT_NEAR(rows[0], 1.93034, 1e-5);
  EXPECT_NEAR(rows[392], 2.07488, 1e-5);
  EXPECT_NEAR(rows[784], 2.14590, 1e-5);
}

// A grid of 4 x 4 patches of one pixel; the picture holds 10 * y + x. Tokens are 2 x 2:
//    0  1 |  2  3
//   10 11 | 12 13
//   ------+------
//   20 21 | 22 23
//   30 31 | 32 33
TEST(PatchesTest, RowsGoByTokenThenByPatch) {
  RgbImage image{4, 4, {}};
  for (int y = 0; y < 4; ++y) {
    for (int x = 0; x < 4; ++x) {
      image.pixels.insert(image.pixels.end(), 3, static_cast<uint8_t>(10 * y + x));
    }
  }
  const PatchGrid grid{.patch_size = 1, .merge_size = 2, .temporal_patch_size = 1};
  const PixelNormalization raw{{0, 0, 0}, {1 / 255.0f, 1 / 255.0f, 1 / 255.0f}};
  const std::vector<float> rows = MakePatches(image, grid, raw);
  const float want[] = {0, 1, 10, 11, 2, 3, 12, 13, 20, 21, 30, 31, 22, 23, 32, 33};
  ASSERT_EQ(rows.size(), 16u * 3);
  for (size_t i = 0; i < 16; ++i) EXPECT_NEAR(rows[3 * i], want[i], 1e-4) << i;
}

// One patch of 2 x 2 pixels, two temporal copies: red plane twice, then green, then blue.
TEST(PatchesTest, ARowGoesByChannelCopyLineAndColumn) {
  const RgbImage image{2, 2, {1, 11, 21, 2, 12, 22, 3, 13, 23, 4, 14, 24}};
  const PatchGrid grid{.patch_size = 2, .merge_size = 1, .temporal_patch_size = 2};
  const PixelNormalization raw{{0, 0, 0}, {1 / 255.0f, 1 / 255.0f, 1 / 255.0f}};
  const std::vector<float> rows = MakePatches(image, grid, raw);
  const float want[] = {1,  2,  3,  4,  1,  2,  3,  4,  11, 12, 13, 14,
                        11, 12, 13, 14, 21, 22, 23, 24, 21, 22, 23, 24};
  ASSERT_EQ(rows.size(), 24u);
  for (size_t i = 0; i < 24; ++i) EXPECT_NEAR(rows[i], want[i], 1e-4) << i;
}

}  // namespace
}  // namespace switchboard::media
