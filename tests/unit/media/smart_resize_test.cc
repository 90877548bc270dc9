#include "media/smart_resize.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "media/decode.h"
#include "media/image_info.h"
#include "tests/support/status_matchers.h"
#include "tests/unit/media/test_files.h"

namespace switchboard::media {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;

struct Example {
  int width, height;
  int out_width, out_height, tokens;
};

void ExpectPlaced(const Example& example, int64_t max_pixels) {
  PatchGrid grid;
  grid.max_pixels = max_pixels;
  const auto place = PlaceImage(example.height, example.width, grid);
  ASSERT_THAT(place, IsOk());
  EXPECT_EQ(place->resized.width, example.out_width) << example.width;
  EXPECT_EQ(place->resized.height, example.out_height) << example.width;
  EXPECT_EQ(place->grid_w, example.out_width / 14);
  EXPECT_EQ(place->grid_h, example.out_height / 14);
  EXPECT_EQ(place->tokens, example.tokens) << example.width;
}

TEST(SmartResizeTest, PhoneScreensAtTheDefaultLimit) {
  for (const Example& example : {Example{1080, 2400, 1092, 2408, 3354},
                                 {1440, 3200, 1428, 3192, 5814},
                                 {1200, 2664, 1204, 2660, 4085},
                                 {1216, 2688, 1204, 2688, 4128},
                                 {1290, 2796, 1288, 2800, 4600},
                                 {1080, 1920, 1092, 1932, 2691},
                                 {720, 1600, 728, 1596, 1482},
                                 {640, 480, 644, 476, 391},
                                 {336, 336, 336, 336, 144},
                                 {28, 28, 84, 84, 9},
                                 {4096, 4096, 2184, 2184, 6084}}) {
    ExpectPlaced(example, 9633792);
  }
}

TEST(SmartResizeTest, PhoneScreensAtTheLimitOfTheOfficialLaunch) {
  for (const Example& example : {Example{1080, 2400, 1036, 2352, 3108},
                                 {1440, 3200, 1036, 2352, 3108},
                                 {1200, 2664, 1036, 2352, 3108},
                                 {1216, 2688, 1036, 2324, 3071},
                                 {1290, 2796, 1064, 2324, 3154},
                                 {1080, 1920, 1092, 1932, 2691},
                                 {4096, 4096, 1568, 1568, 3136}}) {
    ExpectPlaced(example, 5000000);
  }
}

TEST(SmartResizeTest, HalvesGoToTheEvenNeighbour) {
  ExpectPlaced({70, 700, 56, 700, 50}, 9633792);    // 2.5 blocks -> 2
  ExpectPlaced({98, 700, 112, 700, 100}, 9633792);  // 3.5 blocks -> 4
}

TEST(SmartResizeTest, BothCopiesOfAStillImageCount) {
  // 2 * 2212 * 2184 pixels would be above 9,633,792; 2 * 2184 * 2184 is below.
  ExpectPlaced({2212, 2184, 2184, 2156, 78 * 77}, 9633792);
}

TEST(MediaCases, C056_ThinAndTinyImagesGetTheReferencesSizeOrARefusal) {
  ExpectPlaced({1, 1, 84, 84, 9}, 9633792);
  ExpectPlaced({2, 2, 84, 84, 9}, 9633792);
  ExpectPlaced({20, 27, 84, 112, 12}, 9633792);
  ExpectPlaced({27, 40, 84, 112, 12}, 9633792);
  ExpectPlaced({5, 999, 28, 5600, 200}, 9633792);
  ExpectPlaced({600, 3, 5600, 28, 200}, 9633792);
  for (const auto& [width, height] : {std::pair(1, 1000), {1000, 1}, {3, 640}, {640, 3}}) {
    EXPECT_THAT(PlaceImage(height, width, PatchGrid()),
                StatusIs(kInvalid, HasSubstr("aspect ratio")));
  }
}

TEST(MediaCases, C056_ARatioOfExactly200Passes) {
  ExpectPlaced({1, 200, 28, 5600, 200}, 9633792);
  ExpectPlaced({5600, 28, 5600, 28, 200}, 9633792);
  EXPECT_THAT(PlaceImage(28, 5601, PatchGrid()),
              StatusIs(kInvalid, AllOf(HasSubstr("200.036"), HasSubstr("at most 200"))));
}

TEST(SmartResizeTest, VideosCountTheirFrames) {
  PatchGrid grid;
  grid.max_pixels = 47040000;
  const auto size = SmartResize(1649, 951, 31, grid);
  ASSERT_THAT(size, IsOk());
  EXPECT_EQ(size->height, 1596);
  EXPECT_EQ(size->width, 924);
  EXPECT_THAT(SmartResize(100, 100, 1, grid), StatusIs(kInvalid, HasSubstr("1 frames")));
}

TEST(SmartResizeTest, ImpossibleSizesAreRefused) {
  for (const int64_t side : {int64_t{0}, int64_t{-5}, INT64_MIN}) {
    EXPECT_THAT(PlaceImage(side, 100, PatchGrid()), StatusIs(kInvalid, HasSubstr("empty")));
    EXPECT_THAT(PlaceImage(100, side, PatchGrid()), StatusIs(kInvalid, HasSubstr("empty")));
  }
  EXPECT_THAT(PlaceImage(INT64_MAX, INT64_MAX, PatchGrid()),
              StatusIs(kInvalid, HasSubstr("178956970")));
}

TEST(SmartResizeTest, ImpossibleGridsAreRefused) {
  PatchGrid grid;
  grid.patch_size = 0;
  EXPECT_THAT(PlaceImage(100, 100, grid), StatusIs(kInvalid, HasSubstr("0 pixels")));
  grid = PatchGrid();
  grid.max_pixels = 100;
  EXPECT_THAT(PlaceImage(100, 100, grid), StatusIs(kInvalid, HasSubstr("max_pixels 100")));
  grid.max_pixels = INT64_MAX;
  EXPECT_THAT(PlaceImage(100, 100, grid), StatusIs(kInvalid, HasSubstr("max_pixels")));
  grid.min_pixels = 0;
  EXPECT_THAT(PlaceImage(100, 100, grid), StatusIs(kInvalid, HasSubstr("min_pixels 0")));
}

TEST(SmartResizeTest, TheHeaderAloneGivesTheCount) {
  const auto info = ReadImageInfo(ReadImageFile("screen_rgba_1080x2400.png"));
  ASSERT_THAT(info, IsOk());
  const auto place = PlaceImage(info->height, info->width, PatchGrid());
  ASSERT_THAT(place, IsOk());
  EXPECT_EQ(place->tokens, 3354);
}

}  // namespace
}  // namespace switchboard::media
