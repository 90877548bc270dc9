#include "media/decode.h"

#include <utility>

#include "base/status_macros.h"
#include "media/decoders.h"
#include "media/image_info.h"
#include "media/orientation.h"

namespace switchboard::media {

absl::StatusOr<RgbImage> DecodeImage(absl::string_view bytes) {
  ASSIGN_OR_RETURN(const ImageInfo info, ReadImageInfo(bytes));
  ASSIGN_OR_RETURN(RgbImage stored, info.format == ImageFormat::kPng ? DecodePng(bytes, info)
                                                                     : DecodeJpeg(bytes, info));
  return TurnUpright(std::move(stored), info.orientation);
}

}  // namespace switchboard::media
