// Any bytes as an image: the header, the pixels, the size in the prompt. Pictures above a bound are
// not decoded, because the fuzzer would measure memset.
#include <cstddef>
#include <cstdint>

#include "base/check.h"
#include "media/decode.h"
#include "media/image_info.h"
#include "media/resize.h"
#include "media/smart_resize.h"

namespace switchboard::media {
namespace {

constexpr int64_t kMaxDecodedPixels = 1 << 20;
constexpr int64_t kMaxResizedPixels = 1 << 16;

void Check(absl::string_view bytes) {
  const absl::StatusOr<ImageInfo> info = ReadImageInfo(bytes);
  if (!info.ok()) {
    CHECK(DecodeImage(bytes).status() == info.status());
    return;
  }
  const int64_t pixels = int64_t{info->width} * info->height;
  CHECK(pixels >= 1 && pixels <= kMaxImagePixels);
  const absl::StatusOr<ImagePlacement> place = PlaceImage(info->height, info->width, PatchGrid());
  if (place.ok()) CHECK(place->tokens >= 1 && place->tokens * 4 == place->grid_h * place->grid_w);
  if (pixels > kMaxDecodedPixels) return;

  const absl::StatusOr<RgbImage> image = DecodeImage(bytes);
  if (!image.ok()) {
    CHECK(image.status().code() == absl::StatusCode::kInvalidArgument);
    return;
  }
  CHECK(image->width == info->width && image->height == info->height);
  CHECK(image->pixels.size() == static_cast<size_t>(pixels) * 3);
  if (place.ok() && pixels <= kMaxResizedPixels) {
    const RgbImage resized = ResizeBicubic(*image, place->resized);
    CHECK(resized.height == place->resized.height && resized.width == place->resized.width);
  }
}

}  // namespace
}  // namespace switchboard::media

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  switchboard::media::Check({reinterpret_cast<const char*>(data), size});
  return 0;
}
