// What an encoded image is, read from its header alone: nothing is decompressed and nothing of the
// declared size is allocated, so hostile files cost no more than their own bytes.
#ifndef SWITCHBOARD_MEDIA_IMAGE_INFO_H_
#define SWITCHBOARD_MEDIA_IMAGE_INFO_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace switchboard::media {

// More pixels are refused: twice the size at which Pillow suspects a decompression bomb.
inline constexpr int64_t kMaxImagePixels = 178956970;
// A longer side is refused: it bounds a decoder's row buffers. Within kMaxImagePixels such an image
// is at least 5,000 times longer than wide, which no vision model takes.
inline constexpr int64_t kMaxImageSide = 1000000;

enum class ImageFormat { kPng, kJpeg };

struct ImageInfo {
  ImageFormat format = ImageFormat::kPng;
  int stored_width = 0, stored_height = 0;  // as the pixels lie in the file
  int orientation = 1;                      // EXIF value 1..8; 1 when absent or broken
  int width = 0, height = 0;                // upright: sides exchanged for orientation 5..8
};

// The format is told by the bytes, never by a declared type. EXIF orientation is taken from a
// JPEG's first Exif APP1 segment and from a PNG's eXIf chunk, before or behind the pixels; a broken
// block counts as absent.
// InvalidArgument, with a one-line message for the client: no bytes, another format (named when it
// is a common one), a cut-off header, a size of zero or above the limits.
absl::StatusOr<ImageInfo> ReadImageInfo(absl::string_view bytes);

}  // namespace switchboard::media

#endif  // SWITCHBOARD_MEDIA_IMAGE_INFO_H_
