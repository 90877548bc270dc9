// The weights of one resizing pass. Internal to media/: callers use resize.h.
#ifndef SWITCHBOARD_MEDIA_RESIZE_TAPS_H_
#define SWITCHBOARD_MEDIA_RESIZE_TAPS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "media/resize.h"

namespace switchboard::media {

// Output sample i is (sum over k < count[i] of weight(i)[k] * in[first[i] + k] + 2^(bits-1)) >>
// bits, clamped to 0..255. first and first + count never decrease with i.
struct ResizeTaps {
  int bits = 0;                       // binary places of the weights
  int stride = 0;                     // most taps of an output sample
  std::vector<int32_t> first, count;  // [out]
  std::vector<int32_t> weights;       // [out, stride]; below 2^15 in the fast rounding

  const int32_t* weight(size_t i) const { return weights.data() + i * stride; }
};

// REQUIRES: in and out at least 1.
ResizeTaps MakeResizeTaps(int in, int out, ResizeRounding rounding);

}  // namespace switchboard::media

#endif  // SWITCHBOARD_MEDIA_RESIZE_TAPS_H_
