#include "media/exif.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/unit/media/test_files.h"

namespace switchboard::media {
namespace {

TEST(ExifTest, ReadsEveryOrientationInBothByteOrders) {
  for (int orientation = 1; orientation <= 8; ++orientation) {
    EXPECT_EQ(ReadExifOrientation(OrientationBlock(orientation, true)), orientation);
    EXPECT_EQ(ReadExifOrientation(OrientationBlock(orientation, false)), orientation);
  }
}

TEST(ExifTest, ValuesBeyondTheEightAreUpright) {
  EXPECT_EQ(ReadExifOrientation(OrientationBlock(0, true)), 1);
  EXPECT_EQ(ReadExifOrientation(OrientationBlock(9, true)), 1);
}

TEST(ExifTest, ReadsTheWiderIntegerTypeToo) {
  const std::string block("MM\0*\0\0\0\x08\0\x01\x01\x12\0\x04\0\0\0\x01\0\0\0\x06", 22);
  EXPECT_EQ(ReadExifOrientation(block), 6);
}

TEST(ExifTest, FindsTheTagBehindOthers) {
  const std::string block(
      "II*\0\x08\0\0\0\x02\0"
      "\x0F\x01\x02\0\x01\0\0\0A\0\0\0"
      "\x12\x01\x03\0\x01\0\0\0\x03\0\0\0",
      34);
  EXPECT_EQ(ReadExifOrientation(block), 3);
}

TEST(ExifTest, C058_ABlockCutAnywhereIsUprightOrRight) {
  const std::string block = OrientationBlock(6, true);
  for (size_t size = 0; size < block.size(); ++size) {
    EXPECT_EQ(ReadExifOrientation(std::string(block, 0, size)), size < 22 ? 1 : 6) << size;
  }
}

TEST(ExifTest, C058_ADirectoryBeyondTheEndIsIgnored) {
  EXPECT_EQ(ReadExifOrientation(std::string("MM\0*\xFF\xFF\xFF\xFF\0\x01", 10)), 1);
  EXPECT_EQ(ReadExifOrientation(std::string("MM\0*\0\0\0\x09\0\x01", 10)), 1);
}

TEST(ExifTest, MoreEntriesDeclaredThanPresentDoNotHurt) {
  std::string block = OrientationBlock(6, true);
  block[8] = block[9] = '\xFF';
  EXPECT_EQ(ReadExifOrientation(block), 6);
  block[11] = 0x13;  // another tag: the search runs to the end
  EXPECT_EQ(ReadExifOrientation(block), 1);
}

TEST(ExifTest, AListOfOrientationsIsNoOrientation) {
  std::string block = OrientationBlock(6, true);
  block[17] = 2;
  EXPECT_EQ(ReadExifOrientation(block), 1);
}

}  // namespace
}  // namespace switchboard::media
