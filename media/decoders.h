// The two decoding libraries, each behind one function. Internal to media/: callers use decode.h.
#ifndef SWITCHBOARD_MEDIA_DECODERS_H_
#define SWITCHBOARD_MEDIA_DECODERS_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "media/image_info.h"
#include "media/rgb_image.h"

namespace switchboard::media {

// Pixels as stored, not turned upright; everything else as decode.h says. `info` is what
// ReadImageInfo said of the same bytes. InvalidArgument when the file is damaged or cut off.
absl::StatusOr<RgbImage> DecodePng(absl::string_view bytes, const ImageInfo& info);
absl::StatusOr<RgbImage> DecodeJpeg(absl::string_view bytes, const ImageInfo& info);

}  // namespace switchboard::media

#endif  // SWITCHBOARD_MEDIA_DECODERS_H_
