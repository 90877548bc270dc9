// From what a client sent as an image to what the worker gets: bytes, and a place in the prompt.
#ifndef SWITCHBOARD_GATEWAY_MODELS_IMAGES_H_
#define SWITCHBOARD_GATEWAY_MODELS_IMAGES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "gateway/models/model_card.h"
#include "gateway/openai/content_part.h"

namespace switchboard::gateway {

// MediaItem of inference.proto.
struct PromptImage {
  std::string content;  // PNG or JPEG
  std::string sha256;   // 32 bytes
  int32_t grid_h = 0, grid_w = 0;
  int32_t offset = 0;  // of its first placeholder in the prompt's ids
  int32_t tokens = 0;  // its placeholders
  std::string param;   // where the client put it, for errors
};

// Decodes the base64, looks at the headers and computes the grids; offsets are left 0. `input` is
// null for a model without image input. Errors are the API's, with the image's param: too many
// images, an image that is no image, remote URLs (nothing is ever fetched).
absl::StatusOr<std::vector<PromptImage>> ReadImages(absl::Span<const openai::ImageSource> sources,
                                                    const ImageInput* input);

// Repeats the k-th placeholder of `ids` as often as the k-th image has tokens, and sets the
// offsets. InvalidArgument when there are more or fewer placeholders than images.
absl::StatusOr<std::vector<int32_t>> ExpandPlaceholders(absl::Span<const int32_t> ids,
                                                        int32_t placeholder,
                                                        absl::Span<PromptImage> images);

}  // namespace switchboard::gateway

#endif  // SWITCHBOARD_GATEWAY_MODELS_IMAGES_H_
