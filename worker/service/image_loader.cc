#include "worker/service/image_loader.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "base/digest.h"
#include "base/status_macros.h"
#include "media/decode.h"
#include "media/image_info.h"
#include "media/patches.h"
#include "media/resize.h"
#include "media/smart_resize.h"

namespace switchboard::worker {

absl::Status CheckPlacements(const v1::GenerateRequest& request, const ModelFiles& files,
                             int max_images) {
  if (request.media().empty()) return absl::OkStatus();
  if (!files.images.has_value()) {
    return absl::InvalidArgumentError("this model does not take images");
  }
  if (request.media_size() > max_images) {
    return absl::InvalidArgumentError(absl::StrCat(
        "the request has ", request.media_size(), " images, at most ", max_images, " are allowed"));
  }
  int64_t free_from = 0;
  for (int i = 0; i < request.media_size(); ++i) {
    const v1::MediaItem& item = request.media(i);
    const int64_t begin = item.prompt_offset(), end = begin + item.tokens();
    const auto bad = [&](absl::string_view problem) {
      return absl::InvalidArgumentError(absl::StrCat("media[", i, "]: ", problem));
    };
    if (item.tokens() < 1 || begin < free_from || end > request.prompt_ids_size()) {
      return bad("its placeholders lie outside the prompt or in another image");
    }
    for (int64_t at = begin; at < end; ++at) {
      if (request.prompt_ids(static_cast<int>(at)) != files.images->image_token_id) {
        return bad("its placeholders are no image tokens");
      }
    }
    free_from = end;
  }
  return absl::OkStatus();
}

absl::StatusOr<engine::PreparedImage> PrepareImage(const v1::MediaItem& item,
                                                   const ImageRules& rules) {
  if (Sha256Of(item.content()) != item.sha256()) {
    return absl::DataLossError("an image arrived damaged: its SHA-256 differs");
  }
  ASSIGN_OR_RETURN(const media::RgbImage image, media::DecodeImage(item.content()));
  ASSIGN_OR_RETURN(const media::ImagePlacement place,
                   media::PlaceImage(image.height, image.width, rules.grid));
  if (place.grid_h != item.grid_h() || place.grid_w != item.grid_w() ||
      place.tokens != item.tokens()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "an image of ", image.width, "x", image.height, " takes ", place.grid_h, "x", place.grid_w,
        " patches here, the request says ", item.grid_h(), "x", item.grid_w()));
  }
  engine::PreparedImage prepared;
  prepared.grid_h = place.grid_h;
  prepared.grid_w = place.grid_w;
  prepared.prompt_offset = item.prompt_offset();
  prepared.tokens = place.tokens;
  prepared.patches = media::MakePatches(media::ResizeBicubic(image, place.resized), rules.grid,
                                        rules.normalization);
  return prepared;
}

int64_t MaxRequestPixels(int max_images) {
  constexpr int64_t kPixelsPerImage = int64_t{4096} * 4096;
  return std::max(media::kMaxImagePixels, max_images * kPixelsPerImage);
}

absl::Status CheckPixels(const v1::GenerateRequest& request, int64_t max_pixels) {
  int64_t sum = 0;
  for (int i = 0; i < request.media_size(); ++i) {
    const absl::StatusOr<media::ImageInfo> info = media::ReadImageInfo(request.media(i).content());
    if (!info.ok()) return Annotate(info.status(), absl::StrCat("media[", i, "]"));
    sum += int64_t{info->width} * info->height;
    if (sum > max_pixels) {
      return absl::InvalidArgumentError(
          absl::StrCat("media[", i, "]: with its ", info->width, "x", info->height,
                       " the images of the request have ", sum, " pixels, at most ", max_pixels,
                       " are accepted; send fewer or smaller images"));
    }
  }
  return absl::OkStatus();
}

int64_t ImageBytes(const v1::GenerateRequest& request, const ImageRules& rules, int hidden_size) {
  const int64_t patches_per_token = int64_t{1} * rules.grid.merge_size * rules.grid.merge_size;
  const int64_t floats_per_token = patches_per_token * media::PatchWidth(rules.grid) + hidden_size;
  int64_t tokens = 0;
  for (const v1::MediaItem& item : request.media()) tokens += item.tokens();
  return tokens * floats_per_token * static_cast<int64_t>(sizeof(float));
}

}  // namespace switchboard::worker
