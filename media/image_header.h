// The walk through a file's header, one function per format. Internal to media/: callers use
// image_info.h, which adds the limits.
#ifndef SWITCHBOARD_MEDIA_IMAGE_HEADER_H_
#define SWITCHBOARD_MEDIA_IMAGE_HEADER_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace switchboard::media {

struct ImageHeader {
  uint32_t width = 0, height = 0;  // as stored, not judged yet
  absl::string_view exif;          // TIFF block inside the file's bytes; empty when there is none
};

// REQUIRES: `bytes` begin with the PNG signature. InvalidArgument when the IHDR chunk is not first
// or not whole. The chunk list is followed as far as it goes.
absl::StatusOr<ImageHeader> ReadPngHeader(absl::string_view bytes);

// REQUIRES: `bytes` begin with the JPEG SOI marker. InvalidArgument when the file ends before its
// first scan, or has no frame header before it.
absl::StatusOr<ImageHeader> ReadJpegHeader(absl::string_view bytes);

}  // namespace switchboard::media

#endif  // SWITCHBOARD_MEDIA_IMAGE_HEADER_H_
