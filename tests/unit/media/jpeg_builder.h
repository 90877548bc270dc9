// JPEG files of one colour, with component counts and colour spaces that few programs write.
#ifndef SWITCHBOARD_TESTS_UNIT_MEDIA_JPEG_BUILDER_H_
#define SWITCHBOARD_TESTS_UNIT_MEDIA_JPEG_BUILDER_H_

#include <string>

#include "absl/strings/string_view.h"

namespace switchboard::media {

struct JpegSpec {
  int width = 8, height = 8;
  bool ycck = false;  // four components: luminance, colour and black instead of the inks
};

// Quality 100; every pixel has the samples of `pixel`, whose size is the number of components.
std::string BuildFlatJpeg(const JpegSpec& spec, absl::string_view pixel);

// A gray progressive file: a scan with the averages, then the same scan that adds nothing, `scans`
// times.
std::string BuildProgressiveJpeg(int width, int height, int scans);

}  // namespace switchboard::media

#endif  // SWITCHBOARD_TESTS_UNIT_MEDIA_JPEG_BUILDER_H_
