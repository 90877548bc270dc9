#include "worker/engine/prompt_images.h"

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "absl/types/span.h"

namespace switchboard::engine {

PromptImages::PromptImages(std::vector<PreparedImage> images) {
  images_.reserve(images.size());
  for (PreparedImage& image : images) images_.push_back({std::move(image), {}});
}

std::vector<model::ImageRange> PromptImages::Ranges() const {
  std::vector<model::ImageRange> ranges;
  for (const Image& image : images_) {
    ranges.push_back({.offset = image.prepared.prompt_offset,
                      .grid_h = image.prepared.grid_h,
                      .grid_w = image.prepared.grid_w});
  }
  return ranges;
}

int PromptImages::ComputableTokens(int tokens) const {
  return complete() ? tokens : images_[encoded_].prepared.prompt_offset;
}

absl::StatusOr<bool> PromptImages::Step(model::Model* model) {
  Image& image = images_[encoded_];
  if (encoding_ == nullptr) {
    encoding_ = model->EncodeImage(std::move(image.prepared.patches), image.prepared.grid_h,
                                   image.prepared.grid_w);
  }
  if (!encoding_->Step()) return false;
  const absl::Span<const float> embeddings = encoding_->Embeddings();
  hidden_size_ = model->shape().hidden_size;
  if (embeddings.size() != static_cast<size_t>(image.prepared.tokens) * hidden_size_) {
    return absl::InternalError("the number of image embeddings differs from the placeholders");
  }
  // Copied, so that the encoding's working memory goes away.
  image.embeddings.assign(embeddings.begin(), embeddings.end());
  encoding_.reset();
  ++encoded_;
  return true;
}

void PromptImages::AppendRows(int first, int rows, std::vector<model::ImageRows>* out) const {
  for (const Image& image : images_) {
    const int begin = std::max(first, image.prepared.prompt_offset);
    const int end = std::min(first + rows, image.prepared.prompt_offset + image.prepared.tokens);
    if (begin >= end) continue;
    const size_t skipped = static_cast<size_t>(begin - image.prepared.prompt_offset);
    out->push_back({.row = begin - first,
                    .count = end - begin,
                    .embeddings = image.embeddings.data() + skipped * hidden_size_});
  }
}

}  // namespace switchboard::engine
