// What the tests of media/ share: reference files, EXIF blocks, pixels as text.
#ifndef SWITCHBOARD_TESTS_UNIT_MEDIA_TEST_FILES_H_
#define SWITCHBOARD_TESTS_UNIT_MEDIA_TEST_FILES_H_

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/mapped_file.h"

namespace switchboard::media {

// Bytes of tests/golden/vision/images/NAME.
inline std::string ReadImageFile(absl::string_view name) {
  absl::StatusOr<std::string> bytes =
      ReadFile(absl::StrCat(SWITCHBOARD_TEST_DATA, "/golden/vision/images/", name), 1 << 20);
  EXPECT_TRUE(bytes.ok()) << name;
  return bytes.ok() ? *std::move(bytes) : "";
}

// A TIFF block with one directory whose only entry is the orientation, in either byte order.
inline std::string OrientationBlock(int orientation, bool big_endian) {
  const char value = static_cast<char>(orientation);
  if (big_endian) {
    return std::string("MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0", 19) + value +
           std::string(6, '\0');
  }
  return std::string("II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0", 18) + value +
         std::string(7, '\0');
}

inline std::vector<uint8_t> Bytes(absl::string_view text) { return {text.begin(), text.end()}; }

}  // namespace switchboard::media

#endif  // SWITCHBOARD_TESTS_UNIT_MEDIA_TEST_FILES_H_
