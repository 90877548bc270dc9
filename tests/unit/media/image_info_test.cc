#include "media/image_info.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <string>

#include "media/decode.h"
#include "tests/support/status_matchers.h"
#include "tests/unit/media/png_builder.h"
#include "tests/unit/media/test_files.h"

namespace switchboard::media {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;

// Largest amount of memory the process ever had, in bytes.
int64_t PeakMemory() {
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  return int64_t{usage.ru_maxrss} * 1024;
}

// A JPEG file whose frame header declares another size (and sampling) than its pixels have.
std::string WithDeclaredSize(std::string jpeg, char marker, int width, int height) {
  const size_t frame = jpeg.find(std::string({'\xFF', marker}));
  EXPECT_NE(frame, std::string::npos);
  jpeg[frame + 5] = static_cast<char>(height >> 8);
  jpeg[frame + 6] = static_cast<char>(height);
  jpeg[frame + 7] = static_cast<char>(width >> 8);
  jpeg[frame + 8] = static_cast<char>(width);
  return jpeg;
}

TEST(ImageInfoTest, ReadsThePngHeader) {
  const auto info = ReadImageInfo(ReadImageFile("screen_1080x2400.png"));
  ASSERT_THAT(info, IsOk());
  EXPECT_EQ(info->format, ImageFormat::kPng);
  EXPECT_EQ(info->width, 1080);
  EXPECT_EQ(info->height, 2400);
  EXPECT_EQ(info->orientation, 1);
}

TEST(ImageInfoTest, ReadsTheJpegHeader) {
  const auto info = ReadImageInfo(ReadImageFile("rgb_640x480.jpg"));
  ASSERT_THAT(info, IsOk());
  EXPECT_EQ(info->format, ImageFormat::kJpeg);
  EXPECT_EQ(info->width, 640);
  EXPECT_EQ(info->height, 480);
}

TEST(ImageInfoTest, NeedsNoPixels) {
  const auto png = ReadImageInfo(Header(300, 200, 8, kTrueColor));
  ASSERT_THAT(png, IsOk());
  EXPECT_EQ(png->width, 300);
  const std::string jpeg = ReadImageFile("baseline_444.jpg");
  const auto info = ReadImageInfo(jpeg.substr(0, jpeg.find("\xFF\xDA") + 2));
  ASSERT_THAT(info, IsOk());
  EXPECT_EQ(info->width, 120);
}

TEST(MediaCases, C058_WidthAndHeightAreTheUprightOnes) {
  for (const char* name : {"exif5.jpg", "exif6.jpg", "exif7.jpg", "exif8.jpg"}) {
    const auto info = ReadImageInfo(ReadImageFile(name));
    ASSERT_THAT(info, IsOk()) << name;
    EXPECT_EQ(info->stored_width, 60) << name;
    EXPECT_EQ(info->width, 40) << name;
    EXPECT_EQ(info->height, 60) << name;
    EXPECT_EQ(info->orientation, name[4] - '0') << name;
  }
}

TEST(MediaCases, C058_APngOrientationCountsBeforeAndBehindThePixels) {
  PngSpec spec{.width = 2, .height = 1, .rows = "abcdef"};
  spec.exif = OrientationBlock(6, true);
  for (const bool last : {false, true}) {
    spec.exif_last = last;
    const auto info = ReadImageInfo(BuildPng(spec));
    ASSERT_THAT(info, IsOk());
    EXPECT_EQ(info->width, 1);
    EXPECT_EQ(info->height, 2);
  }
}

TEST(MediaCases, C058_ABrokenExifBlockIsIgnored) {
  const auto info = ReadImageInfo(ReadImageFile("exif_bad.jpg"));
  ASSERT_THAT(info, IsOk());
  EXPECT_EQ(info->orientation, 1);
  EXPECT_EQ(info->width, 60);
}

TEST(MediaCases, C059_TheMessageHasTheNumbers) {
  EXPECT_THAT(ReadImageInfo(ReadImageFile("bad_huge_40000x40000.png")),
              StatusIs(kInvalid, AllOf(HasSubstr("40000 x 40000"), HasSubstr("1600000000"),
                                       HasSubstr("178956970"))));
}

TEST(MediaCases, C059_TheLimitIsExact) {
  EXPECT_THAT(ReadImageInfo(Header(12470, 14351, 8, kGray)), IsOk());  // 178,956,970
  EXPECT_THAT(ReadImageInfo(Header(2052, 87211, 8, kGray)),
              StatusIs(kInvalid, HasSubstr("178956972")));
  EXPECT_THAT(ReadImageInfo(Header(10, 1000000, 8, kGray)), IsOk());
  EXPECT_THAT(ReadImageInfo(Header(10, 1000001, 8, kGray)),
              StatusIs(kInvalid, HasSubstr("a side may have at most 1000000")));
}

TEST(MediaCases, C059_ZeroAndEnormousSidesAreRefused) {
  EXPECT_THAT(ReadImageInfo(ReadImageFile("bad_zero_size.png")),
              StatusIs(kInvalid, HasSubstr("0 x 0 pixels is empty")));
  EXPECT_THAT(ReadImageInfo(Header(1, 0, 8, kGray)), StatusIs(kInvalid, HasSubstr("1 x 0")));
  EXPECT_THAT(ReadImageInfo(Header(0x7FFFFFFF, 0x7FFFFFFF, 8, kGray)),
              StatusIs(kInvalid, HasSubstr("2147483647 x 2147483647")));
  EXPECT_THAT(ReadImageInfo(Header(0xFFFFFFFF, 1, 8, kGray)),
              StatusIs(kInvalid, HasSubstr("4294967295 x 1")));
}

TEST(MediaCases, C059_TenGiganticCanvasesCostNoMemory) {
  const std::string png = ReadImageFile("bad_huge_40000x40000.png");
  const int64_t before = PeakMemory();
  for (int i = 0; i < 10; ++i) {
    EXPECT_THAT(DecodeImage(png), StatusIs(kInvalid, HasSubstr("40000 x 40000")));
  }
  EXPECT_LT(PeakMemory() - before, 1 << 20);
}

TEST(MediaCases, C059_ATinyPngWithinTheLimitIsRefusedBeforeItsRasterExists) {
  const std::string png =
      Header(13000, 13000, 8, kTrueColor) + Chunk("IDAT", Store("")) + Chunk("IEND", "");
  const int64_t before = PeakMemory();
  EXPECT_THAT(DecodeImage(png), StatusIs(kInvalid, HasSubstr("cannot hold 13000 x 13000")));
  EXPECT_LT(PeakMemory() - before, 1 << 20);
}

TEST(MediaCases, C059_ATinyJpegCostsOnlyTheRowsThatItHas) {
  const std::string jpeg =
      WithDeclaredSize(ReadImageFile("baseline_444.jpg"), '\xC0', 13000, 13000);
  const int64_t before = PeakMemory();
  EXPECT_THAT(DecodeImage(jpeg), StatusIs(kInvalid, HasSubstr("premature end")));
  EXPECT_LT(PeakMemory() - before, 128 << 20);  // the raster would be 507,000,000 bytes
}

TEST(MediaCases, C059_AProgressiveJpegMayNotNeedMoreThanItsBudget) {
  std::string jpeg = WithDeclaredSize(ReadImageFile("progressive_420.jpg"), '\xC2', 13000, 13000);
  jpeg[jpeg.find("\xFF\xC2") + 11] = '\x11';  // full colour resolution: 1 GB of coefficients
  const int64_t before = PeakMemory();
  EXPECT_THAT(DecodeImage(jpeg), StatusIs(kInvalid, HasSubstr("too large to decode")));
  EXPECT_LT(PeakMemory() - before, 64 << 20);
}

TEST(ImageInfoTest, OtherFormatsAreNamedAndRefused) {
  const auto refuses = [](absl::string_view file, absl::string_view words) {
    EXPECT_THAT(ReadImageInfo(ReadImageFile(file)), StatusIs(kInvalid, std::string(words)));
  };
  refuses("lossy.webp", "unsupported image format WebP; send PNG or JPEG");
  refuses("animated.webp", "unsupported image format WebP; send PNG or JPEG");
  refuses("animated.gif", "unsupported image format GIF; send PNG or JPEG");
  refuses("rgb.bmp", "unsupported image format BMP; send PNG or JPEG");
  refuses("bad_text.png", "unsupported image format; send PNG or JPEG");
  refuses("bad_empty.png", "invalid image: it has no bytes");
}

TEST(ImageInfoTest, AHeaderCutAnywhereIsRefused) {
  const std::string png = ReadImageFile("gray.png");
  for (size_t size = 0; size < 33; ++size) {
    EXPECT_THAT(ReadImageInfo(png.substr(0, size)), StatusIs(kInvalid, HasSubstr("image"))) << size;
  }
  EXPECT_THAT(ReadImageInfo(png.substr(0, 33)), IsOk());
  const std::string jpeg = ReadImageFile("exif6.jpg");
  const size_t scan = jpeg.find("\xFF\xDA");
  for (size_t size = 0; size < scan + 2; ++size) {
    EXPECT_THAT(ReadImageInfo(jpeg.substr(0, size)), StatusIs(kInvalid, HasSubstr("image")))
        << size;
  }
}

TEST(ImageInfoTest, AJpegWithoutAFrameHeaderIsRefused) {
  EXPECT_THAT(ReadImageInfo("\xFF\xD8\xFF\xD9"), StatusIs(kInvalid, HasSubstr("no frame header")));
}

TEST(ImageInfoTest, StrayBytesBetweenJpegSegmentsAreSkipped) {
  std::string jpeg = ReadImageFile("baseline_444.jpg");
  jpeg.insert(2, std::string("xyz\xFF\0\xFF\xFF", 7));
  const auto info = ReadImageInfo(jpeg);
  ASSERT_THAT(info, IsOk());
  EXPECT_EQ(info->width, 120);
  EXPECT_THAT(DecodeImage(jpeg), IsOk());
}

}  // namespace
}  // namespace switchboard::media
