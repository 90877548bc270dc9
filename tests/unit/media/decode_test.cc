#include "media/decode.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "absl/strings/str_cat.h"
#include "tests/support/status_matchers.h"
#include "tests/unit/media/jpeg_builder.h"
#include "tests/unit/media/png_builder.h"
#include "tests/unit/media/test_files.h"

namespace switchboard::media {
namespace {

using ::testing::HasSubstr;

constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;

// Pixels of a PNG that must decode.
std::vector<uint8_t> PixelsOf(const PngSpec& spec) {
  const auto image = DecodeImage(BuildPng(spec));
  EXPECT_THAT(image, IsOk());
  return image.ok() ? image->pixels : std::vector<uint8_t>();
}

TEST(DecodeTest, KeepsTrueColour) {
  const PngSpec spec{.width = 2, .height = 2, .rows = "abcdefghijkl"};
  const auto image = DecodeImage(BuildPng(spec));
  ASSERT_THAT(image, IsOk());
  EXPECT_EQ(image->width, 2);
  EXPECT_EQ(image->height, 2);
  EXPECT_EQ(image->pixels, Bytes("abcdefghijkl"));
}

// Stored rows "abc" and "def" (one letter per pixel), upright as EXIF says for each orientation.
TEST(MediaCases, C058_PixelsAreTurnedUprightForEveryOrientation) {
  const char* const upright[] = {"abc/def",  "cba/fed",  "fed/cba",  "def/abc",
                                 "ad/be/cf", "da/eb/fc", "fc/eb/da", "cf/be/ad"};
  for (int orientation = 1; orientation <= 8; ++orientation) {
    PngSpec spec{.width = 3, .height = 2, .color = kGray, .rows = "abcdef"};
    spec.exif = OrientationBlock(orientation, orientation % 2 == 0);
    const auto image = DecodeImage(BuildPng(spec));
    ASSERT_THAT(image, IsOk());
    std::string got;
    for (int y = 0; y < image->height; ++y) {
      if (y > 0) got += '/';
      for (int x = 0; x < image->width; ++x) got += static_cast<char>(image->row(y)[3 * x]);
    }
    EXPECT_EQ(got, upright[orientation - 1]) << orientation;
  }
}

TEST(DecodeTest, LargePicturesAreTurnedTileByTile) {
  PngSpec spec{.width = 100, .height = 70, .color = kGray};
  for (uint32_t i = 0; i < spec.width * spec.height; ++i) {
    spec.rows += static_cast<char>(i * 7 + i / 100 * 31);
  }
  const auto stored = DecodeImage(BuildPng(spec));
  spec.exif = OrientationBlock(6, true);
  const auto turned = DecodeImage(BuildPng(spec));
  ASSERT_THAT(stored, IsOk());
  ASSERT_THAT(turned, IsOk());
  ASSERT_EQ(turned->width, 70);
  for (int y = 0; y < 100; ++y) {
    for (int x = 0; x < 70; ++x) {
      ASSERT_EQ(turned->row(y)[3 * x], stored->row(69 - x)[3 * y]) << y << " " << x;
    }
  }
}

// White shows through where alpha is 0; (c * 128 + 255 * 127 + 128) / 255 rounded elsewhere.
TEST(MediaCases, C064_AlphaIsLaidOverWhiteAndHiddenColoursVanish) {
  PngSpec spec{.width = 3, .height = 1, .color = kRgba};
  spec.rows = std::string(
      "\x12\x34\x56\x00"
      "\x00\xFF\x64\x80"
      "\x0A\x14\x1E\xFF",
      12);
  EXPECT_EQ(PixelsOf(spec), Bytes("\xFF\xFF\xFF"
                                  "\x7F\xFF\xB1"
                                  "\x0A\x14\x1E"));
}

TEST(MediaCases, C064_FilesThatLookTheSameGiveTheSamePixels) {
  // A red pixel between two transparent ones: as RGBA with noise under alpha 0, as palette with
  // tRNS, as true colour with a colour key.
  PngSpec rgba{.width = 3, .height = 1, .color = kRgba};
  rgba.rows = std::string(
      "\x99\x01\x77\x00"
      "\xFF\x00\x00\xFF"
      "\x13\x57\x9B\x00",
      12);
  PngSpec palette{.width = 3, .height = 1, .color = kPalette};
  palette.rows = std::string("\0\1\0", 3);
  palette.palette = std::string(
      "\x44\x55\x66"
      "\xFF\x00\x00",
      6);
  palette.transparency = std::string("\0", 1);
  PngSpec key{.width = 3, .height = 1, .color = kTrueColor};
  key.rows = std::string(
      "\x44\x55\x66"
      "\xFF\x00\x00"
      "\x44\x55\x66",
      9);
  key.transparency = std::string("\x00\x44\x00\x55\x00\x66", 6);
  const std::vector<uint8_t> want = {255, 255, 255, 255, 0, 0, 255, 255, 255};
  EXPECT_EQ(PixelsOf(rgba), want);
  EXPECT_EQ(PixelsOf(palette), want);
  EXPECT_EQ(PixelsOf(key), want);
}

TEST(MediaCases, C064_GrayWithAlphaIsLaidOverWhite) {
  PngSpec spec{.width = 3, .height = 1, .color = kGrayAlpha};
  spec.rows = std::string(
      "\x10\x00"
      "\x20\xFF"
      "\x00\x80",
      6);
  EXPECT_EQ(PixelsOf(spec), (std::vector<uint8_t>{255, 255, 255, 32, 32, 32, 127, 127, 127}));
}

TEST(MediaCases, C064_AGrayColourKeyOfOneBitIsTransparent) {
  PngSpec spec{.width = 2, .height = 1, .depth = 1, .color = kGray};
  spec.rows = "\x40";  // black, white
  spec.transparency = std::string("\0\0", 2);
  EXPECT_EQ(PixelsOf(spec), (std::vector<uint8_t>{255, 255, 255, 255, 255, 255}));
}

TEST(MediaCases, C065_SixteenBitsKeepTheHighByte) {
  PngSpec gray{.width = 2, .height = 1, .depth = 16, .color = kGray};
  gray.rows = "\x12\xFF\x80\x7F";
  EXPECT_EQ(PixelsOf(gray), (std::vector<uint8_t>{0x12, 0x12, 0x12, 0x80, 0x80, 0x80}));
  PngSpec rgba{.width = 1, .height = 1, .depth = 16, .color = kRgba};
  rgba.rows = "\x10\xFF\x20\xFF\x30\xFF\xFF\x01";
  EXPECT_EQ(PixelsOf(rgba), (std::vector<uint8_t>{0x10, 0x20, 0x30}));
}

TEST(MediaCases, C065_ASixteenBitColourKeyComparesAllBits) {
  PngSpec spec{.width = 2, .height = 1, .depth = 16, .color = kGray};
  spec.rows = "\x12\x34\x12\x35";
  spec.transparency = "\x12\x34";
  EXPECT_EQ(PixelsOf(spec), (std::vector<uint8_t>{255, 255, 255, 0x12, 0x12, 0x12}));
}

TEST(MediaCases, C065_SmallGrayDepthsSpreadOverTheRange) {
  PngSpec spec{.width = 2, .height = 1, .depth = 4, .color = kGray};
  spec.rows = "\x1F";
  EXPECT_EQ(PixelsOf(spec), (std::vector<uint8_t>{17, 17, 17, 255, 255, 255}));
  spec.depth = 2;
  spec.rows = "\x60";
  EXPECT_EQ(PixelsOf(spec), (std::vector<uint8_t>{85, 85, 85, 170, 170, 170}));
  spec.depth = 1;
  spec.rows = "\x40";
  EXPECT_EQ(PixelsOf(spec), (std::vector<uint8_t>{0, 0, 0, 255, 255, 255}));
}

TEST(MediaCases, C065_APaletteOfOneBitIsLookedUp) {
  PngSpec spec{.width = 2, .height = 1, .depth = 1, .color = kPalette};
  spec.rows = "\x40";
  spec.palette = "abcdef";
  EXPECT_EQ(PixelsOf(spec), Bytes("abcdef"));
}

// Ink as Adobe stores it: 255 is none. Light grays survive quality 100 within one or two levels.
TEST(MediaCases, C065_FourComponentJpegsBecomeRgb) {
  const std::string inks("\xFF\x80\x40\xC0", 4);
  // n = 192; R = 192 - 0, G = 192 - mul(127, 192), B = 192 - mul(191, 192).
  const int want[] = {192, 96, 48};
  for (const bool ycck : {false, true}) {
    const auto image = DecodeImage(BuildFlatJpeg({.width = 16, .height = 8, .ycck = ycck}, inks));
    ASSERT_THAT(image, IsOk());
    ASSERT_EQ(image->pixels.size(), 16u * 8 * 3);
    for (int c = 0; c < 3; ++c) EXPECT_NEAR(image->row(7)[45 + c], want[c], 2) << ycck << c;
  }
}

TEST(MediaCases, C065_AJpegOfOneComponentHasThreeChannels) {
  const auto image = DecodeImage(BuildFlatJpeg({.width = 9, .height = 5}, "\x64"));
  ASSERT_THAT(image, IsOk());
  EXPECT_EQ(image->pixels, std::vector<uint8_t>(9 * 5 * 3, 100));
}

TEST(MediaCases, C065_AJpegOfTwoComponentsIsRefused) {
  EXPECT_THAT(DecodeImage(BuildFlatJpeg({.width = 9, .height = 5}, "\x64\x32")),
              StatusIs(kInvalid, HasSubstr("2 components")));
}

TEST(MediaCases, C065_AJpegCutAnywhereIsRefused) {
  for (const char* name : {"restart.jpg", "progressive_420.jpg", "odd_420.jpg"}) {
    const std::string jpeg = ReadImageFile(name);
    for (size_t size = 0; size < jpeg.size(); size += size < 700 ? 1 : 13) {
      EXPECT_THAT(DecodeImage(jpeg.substr(0, size)), StatusIs(kInvalid, HasSubstr("image")))
          << name << size;
    }
    EXPECT_THAT(DecodeImage(jpeg.substr(0, jpeg.size() - 1)),
                StatusIs(kInvalid, HasSubstr("image")));
  }
}

TEST(MediaCases, C065_RestartMarkersMissingInTheMiddleAreDamage) {
  std::string jpeg = ReadImageFile("restart.jpg");
  const size_t from = jpeg.find("\xFF\xD1"), to = jpeg.find("\xFF\xD4");
  ASSERT_NE(from, std::string::npos);
  ASSERT_NE(to, std::string::npos);
  jpeg.erase(from, to - from);
  EXPECT_THAT(DecodeImage(jpeg), StatusIs(kInvalid, HasSubstr("Corrupt JPEG data")));
}

TEST(DecodeTest, APngCutAnywhereBeforeItsLastPixelIsRefused) {
  for (const char* name : {"palette_trns.png", "interlaced.png", "rgba_semi.png"}) {
    const std::string png = ReadImageFile(name);
    const size_t pixels_end = png.rfind("IEND") - 4;
    for (size_t size = 0; size + 4 < pixels_end; size += size < 200 ? 1 : 11) {
      EXPECT_THAT(DecodeImage(png.substr(0, size)), StatusIs(kInvalid, HasSubstr("image")))
          << name << size;
    }
  }
}

TEST(DecodeTest, APngWhosePixelsAreWholeNeedsNoEndMark) {
  const std::string png = ReadImageFile("gray.png");
  EXPECT_THAT(DecodeImage(png.substr(0, png.rfind("IEND") - 4)), IsOk());
}

TEST(DecodeTest, AFlippedByteInAPngIsSeen) {
  EXPECT_THAT(DecodeImage(ReadImageFile("bad_crc.png")), StatusIs(kInvalid, HasSubstr("PNG: ")));
}

TEST(DecodeTest, BytesBehindTheEndAreIgnored) {
  EXPECT_THAT(DecodeImage(ReadImageFile("gray.jpg") + "trailer"), IsOk());
  EXPECT_THAT(DecodeImage(ReadImageFile("gray.png") + "trailer"), IsOk());
}

TEST(DecodeTest, EmptyScansRepeatedOverALargePictureAreRefused) {
  const std::string jpeg = BuildProgressiveJpeg(4000, 4000, 200);
  EXPECT_LT(jpeg.size(), 1u << 20);
  EXPECT_THAT(DecodeImage(jpeg), StatusIs(kInvalid, HasSubstr("too many scans")));
}

}  // namespace
}  // namespace switchboard::media
