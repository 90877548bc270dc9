// Turns stored pixels upright.
#ifndef SWITCHBOARD_MEDIA_ORIENTATION_H_
#define SWITCHBOARD_MEDIA_ORIENTATION_H_

#include "media/rgb_image.h"

namespace switchboard::media {

// The upright picture of a stored one with this EXIF orientation; 1 returns it as it is, every
// other value makes a copy. REQUIRES: orientation in 1..8.
RgbImage TurnUpright(RgbImage stored, int orientation);

}  // namespace switchboard::media

#endif  // SWITCHBOARD_MEDIA_ORIENTATION_H_
