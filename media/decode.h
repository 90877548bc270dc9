// Encoded image to pixels, by the rule that the reference servers follow.
#ifndef SWITCHBOARD_MEDIA_DECODE_H_
#define SWITCHBOARD_MEDIA_DECODE_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "media/rgb_image.h"

namespace switchboard::media {

// Decodes a PNG or JPEG file to upright 8-bit RGB.
//  * Any transparency (alpha channel, palette with tRNS, colour key) is laid over white, per
//    channel: v = c * a + 255 * (255 - a) + 128, result (v + (v >> 8)) >> 8.
//  * 16-bit samples keep their high byte; gray of 1, 2 and 4 bits is spread over 0..255.
//  * JPEG: libjpeg-turbo's defaults (accurate integer DCT, smooth upsampling). Four components are
//    taken as inverted CMYK, as Adobe writes it: R = n - mul(C, n) with n = 255 - K.
//  * EXIF orientation is applied (image_info.h); colour profiles and gamma are not.
// InvalidArgument, with a one-line message for the client: all that ReadImageInfo refuses, and a
// file that is cut off or damaged; a picture is whole or refused, never filled up with gray.
//
// Memory: at most 7 bytes per pixel (raster, and its copy while it is turned), touched as the rows
// arrive, so a short file that declares a large size stays cheap; for a progressive JPEG also its
// coefficients, up to 512 MiB.
absl::StatusOr<RgbImage> DecodeImage(absl::string_view bytes);

}  // namespace switchboard::media

#endif  // SWITCHBOARD_MEDIA_DECODE_H_
