#include "media/smart_resize.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "media/image_info.h"

namespace switchboard::media {
namespace {

constexpr int kMaxFrames = 1000000;
constexpr int kMaxFactor = 4096;

absl::Status CheckGrid(const PatchGrid& grid) {
  const auto in_range = [](int value) { return value >= 1 && value <= kMaxFactor; };
  if (!in_range(grid.patch_size) || !in_range(grid.merge_size) ||
      !in_range(grid.temporal_patch_size) || grid.patch_size * grid.merge_size > kMaxFactor) {
    return absl::InvalidArgumentError(
        absl::StrCat("image patches of ", grid.patch_size, " pixels, merged by ", grid.merge_size,
                     ", over ", grid.temporal_patch_size, " frames are not supported"));
  }
  if (grid.min_pixels < 1 || grid.max_pixels < grid.min_pixels ||
      grid.max_pixels > kMaxPixelBudget) {
    return absl::InvalidArgumentError(
        absl::StrCat("min_pixels ", grid.min_pixels, " and max_pixels ", grid.max_pixels,
                     " must satisfy 1 <= min_pixels <= max_pixels <= ", kMaxPixelBudget));
  }
  return absl::OkStatus();
}

absl::Status CheckInput(int64_t height, int64_t width, int frames, const PatchGrid& grid) {
  if (height < 1 || width < 1 || height > kMaxImagePixels / width) {
    return absl::InvalidArgumentError(absl::StrCat("an image of ", width, " x ", height,
                                                   " pixels is empty or above ", kMaxImagePixels,
                                                   " pixels"));
  }
  if (frames < grid.temporal_patch_size || frames >= kMaxFrames) {
    return absl::InvalidArgumentError(absl::StrCat(frames, " frames; at least ",
                                                   grid.temporal_patch_size, " and less than ",
                                                   kMaxFrames, " are accepted"));
  }
  return absl::OkStatus();
}

// Python's round(value / step) * step: a half goes to the even neighbour, which is what nearbyint
// does in the default rounding mode. The quotient is exact enough to see halves, as all are small.
int64_t RoundTo(int64_t value, int step) {
  return static_cast<int64_t>(std::nearbyint(static_cast<double>(value) / step)) * step;
}

}  // namespace

// The order of operations is the reference's, in double like Python's floats; reassociating any of
// them changes some size by a whole token row.
absl::StatusOr<Size> SmartResize(int64_t height, int64_t width, int frames, const PatchGrid& grid) {
  RETURN_IF_ERROR(CheckGrid(grid));
  RETURN_IF_ERROR(CheckInput(height, width, frames, grid));
  const int factor = grid.patch_size * grid.merge_size;

  if (height < factor || width < factor) {
    const double scale =
        std::max(static_cast<double>(factor) / height, static_cast<double>(factor) / width);
    height = static_cast<int64_t>(height * scale);  // may truncate to one below factor
    width = static_cast<int64_t>(width * scale);
  }
  const double ratio =
      static_cast<double>(std::max(height, width)) / static_cast<double>(std::min(height, width));
  if (ratio > kMaxAspectRatio) {
    return absl::InvalidArgumentError(absl::StrCat("the image's aspect ratio is ", ratio,
                                                   "; at most ", kMaxAspectRatio, " is accepted"));
  }

  int64_t out_height = RoundTo(height, factor), out_width = RoundTo(width, factor);
  const double area = static_cast<double>(int64_t{frames} * height * width);
  const int64_t out_area = RoundTo(frames, grid.temporal_patch_size) * out_height * out_width;
  if (out_area > grid.max_pixels) {
    const double shrink = std::sqrt(area / static_cast<double>(grid.max_pixels));
    const auto fit = [&](int64_t side) {
      const double blocks = std::floor(static_cast<double>(side) / shrink / factor);
      return std::max<int64_t>(factor, static_cast<int64_t>(blocks) * factor);
    };
    out_height = fit(height);
    out_width = fit(width);
  } else if (out_area < grid.min_pixels) {
    const double grow = std::sqrt(static_cast<double>(grid.min_pixels) / area);
    const auto fit = [&](int64_t side) {
      return static_cast<int64_t>(std::ceil(static_cast<double>(side) * grow / factor)) * factor;
    };
    out_height = fit(height);
    out_width = fit(width);
  }
  return Size{static_cast<int>(out_height), static_cast<int>(out_width)};
}

absl::StatusOr<ImagePlacement> PlaceImage(int64_t height, int64_t width, const PatchGrid& grid) {
  ImagePlacement place;
  ASSIGN_OR_RETURN(place.resized, SmartResize(height, width, grid.temporal_patch_size, grid));
  place.grid_h = place.resized.height / grid.patch_size;
  place.grid_w = place.resized.width / grid.patch_size;
  place.tokens = (place.grid_h / grid.merge_size) * (place.grid_w / grid.merge_size);
  return place;
}

}  // namespace switchboard::media
