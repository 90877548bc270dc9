// The images of one request on their way from patches to embeddings.
#ifndef SWITCHBOARD_WORKER_ENGINE_PROMPT_IMAGES_H_
#define SWITCHBOARD_WORKER_ENGINE_PROMPT_IMAGES_H_

#include <cstddef>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "worker/engine/request.h"
#include "worker/model/model.h"

namespace switchboard::engine {

// Encodes one image after the other, in order of the prompt. Embeddings are kept as long as the
// object lives, because a preempted prompt is computed again; patches are gone once their encoding
// starts. Engine thread only.
class PromptImages {
 public:
  PromptImages() = default;
  // As checked by ValidateRequest.
  explicit PromptImages(std::vector<PreparedImage> images);

  std::vector<model::ImageRange> Ranges() const;

  bool complete() const { return encoded_ == images_.size(); }
  // Prompt tokens before the first image that is not encoded; `tokens` when complete.
  int ComputableTokens(int tokens) const;

  // Computes one vision block; true when it completed an image. Internal: the model's embeddings do
  // not match the placeholders. REQUIRES: not complete().
  absl::StatusOr<bool> Step(model::Model* model);

  // Appends the embeddings that fall on tokens [first, first + rows) of the prompt. Valid while
  // this lives. REQUIRES: all images up to there are encoded.
  void AppendRows(int first, int rows, std::vector<model::ImageRows>* out) const;

 private:
  struct Image {
    PreparedImage prepared;
    std::vector<float> embeddings;  // [prepared.tokens, hidden_size_]
  };

  std::vector<Image> images_;
  size_t encoded_ = 0;                              // images [0, encoded_) are done
  std::unique_ptr<model::ImageEncoding> encoding_;  // of images_[encoded_]
  int hidden_size_ = 0;
};

}  // namespace switchboard::engine

#endif  // SWITCHBOARD_WORKER_ENGINE_PROMPT_IMAGES_H_
