// The one EXIF field that changes pixels.
#ifndef SWITCHBOARD_MEDIA_EXIF_H_
#define SWITCHBOARD_MEDIA_EXIF_H_

#include "absl/strings/string_view.h"

namespace switchboard::media {

// The Orientation tag (0x0112) of the first directory of `tiff`, a TIFF block in either byte order.
// 1, "upright", for whatever is broken or out of range: a bad block must not cost the image.
int ReadExifOrientation(absl::string_view tiff);

}  // namespace switchboard::media

#endif  // SWITCHBOARD_MEDIA_EXIF_H_
