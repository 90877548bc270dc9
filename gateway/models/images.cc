#include "gateway/models/images.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/digest.h"
#include "base/status_macros.h"
#include "gateway/openai/error.h"
#include "media/data_url.h"
#include "media/image_info.h"

namespace switchboard::gateway {
namespace {

using openai::ImageSource;

constexpr size_t kMaxImageBytes = size_t{64} << 20;

absl::Status Refuse(const ImageSource& source, absl::string_view code, absl::string_view message) {
  return openai::Error(code, source.param, message);
}

bool IsDataUrl(absl::string_view text) {
  return absl::StartsWithIgnoreCase(absl::StripLeadingAsciiWhitespace(text), "data:");
}

absl::StatusOr<std::string> DecodeSource(const ImageSource& source) {
  absl::string_view payload = source.encoded;
  if (source.must_be_url || IsDataUrl(source.encoded)) {
    const absl::StatusOr<media::DataUrl> url = media::ParseDataUrl(source.encoded);
    if (!url.ok()) return Refuse(source, "invalid_image_url", url.status().message());
    payload = url->payload;
  }
  absl::StatusOr<std::string> bytes = media::DecodeDataPayload(payload, kMaxImageBytes);
  if (!bytes.ok()) return Refuse(source, "invalid_base64", bytes.status().message());
  return *std::move(bytes);
}

absl::StatusOr<PromptImage> ReadImage(const ImageSource& source, const ImageInput& input) {
  PromptImage image;
  image.param = source.param;
  ASSIGN_OR_RETURN(image.content, DecodeSource(source));
  const absl::StatusOr<media::ImageInfo> info = media::ReadImageInfo(image.content);
  if (!info.ok()) return Refuse(source, "invalid_image", info.status().message());
  const absl::StatusOr<media::ImagePlacement> place =
      media::PlaceImage(info->height, info->width, input.grid);
  if (!place.ok()) return Refuse(source, "invalid_image", place.status().message());
  image.sha256 = Sha256Of(image.content);
  image.grid_h = place->grid_h;
  image.grid_w = place->grid_w;
  image.tokens = place->tokens;
  return image;
}

}  // namespace

absl::StatusOr<std::vector<PromptImage>> ReadImages(absl::Span<const ImageSource> sources,
                                                    const ImageInput* input) {
  std::vector<PromptImage> images;
  if (sources.empty()) return images;
  if (input == nullptr) {
    return Refuse(sources[0], "invalid_value", "This model does not support image input.");
  }
  const size_t most = static_cast<size_t>(std::max(input->max_images, 0));
  if (sources.size() > most) {
    return Refuse(
        sources[most], "invalid_value",
        absl::StrCat("A request may have at most ", most, " images, not ", sources.size(), "."));
  }
  for (const ImageSource& source : sources) {
    ASSIGN_OR_RETURN(PromptImage image, ReadImage(source, *input));
    images.push_back(std::move(image));
  }
  return images;
}

absl::StatusOr<std::vector<int32_t>> ExpandPlaceholders(absl::Span<const int32_t> ids,
                                                        int32_t placeholder,
                                                        absl::Span<PromptImage> images) {
  const size_t found = std::count(ids.begin(), ids.end(), placeholder);
  if (found != images.size()) {
    return openai::Error("invalid_value", "messages",
                         absl::StrCat("The prompt has places for ", found, " images, the request ",
                                      "has ", images.size(), "."));
  }
  size_t total = ids.size();
  for (const PromptImage& image : images) total += image.tokens;
  std::vector<int32_t> out;
  out.reserve(total);
  size_t next = 0;
  for (int32_t id : ids) {
    if (id != placeholder) {
      out.push_back(id);
      continue;
    }
    PromptImage& image = images[next++];
    image.offset = static_cast<int32_t>(out.size());
    out.insert(out.end(), image.tokens, placeholder);
  }
  return out;
}

}  // namespace switchboard::gateway
