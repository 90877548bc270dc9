// From a client's PNG or JPEG to the patch rows that the vision tower takes, off the engine's
// thread.
#ifndef SWITCHBOARD_WORKER_SERVICE_IMAGE_LOADER_H_
#define SWITCHBOARD_WORKER_SERVICE_IMAGE_LOADER_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "switchboard/v1/inference.pb.h"
#include "worker/engine/request.h"
#include "worker/service/model_files.h"

namespace switchboard::worker {

// Decodes, resizes and normalises. InvalidArgument when the bytes are no such image, or when the
// grid that the sender computed is not the one that `rules` give.
absl::StatusOr<engine::PreparedImage> PrepareImage(const v1::MediaItem& item,
                                                   const ImageRules& rules);

// Checks the placeholders of a request before anything is decoded: inside the prompt, all of them
// image tokens, in order, as many images as allowed. InvalidArgument names the item.
absl::Status CheckPlacements(const v1::GenerateRequest& request, const ModelFiles& files,
                             int max_images);

// Pixels that the images of one request may have together where `max_images` are allowed: one of
// the largest size (media::kMaxImagePixels), or 4096 x 4096 for each.
int64_t MaxRequestPixels(int max_images);

// Reads the images' headers, nothing more: a request cannot have more decoded than `max_pixels`.
// InvalidArgument names the image that goes beyond, its size and the limit, or the image that is
// none.
absl::Status CheckPixels(const v1::GenerateRequest& request, int64_t max_pixels);

// Most bytes that the images of a checked request take until they are encoded: the patch rows that
// PrepareImage makes and embeddings of `hidden_size` floats per token.
int64_t ImageBytes(const v1::GenerateRequest& request, const ImageRules& rules, int hidden_size);

}  // namespace switchboard::worker

#endif  // SWITCHBOARD_WORKER_SERVICE_IMAGE_LOADER_H_
