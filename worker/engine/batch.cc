#include "worker/engine/batch.h"

#include <cstdint>

#include "base/check.h"

namespace switchboard::engine {

void Batch::Clear() {
  slices_.clear();
  positions_.clear();
  images_.clear();
  first_image_.clear();
  logit_rows_ = 0;
}

void Batch::Add(const Sequence& sequence, int tokens) {
  const int first = sequence.computed;
  CHECK(first + tokens <= sequence.known());
  CHECK(first + tokens <= sequence.pages.size() * model::kPageTokens);
  model::SequenceSlice slice;
  slice.token_ids = absl::MakeConstSpan(sequence.tokens).subspan(first, tokens);
  slice.positions = PositionsOf(sequence, tokens);
  slice.first = first;
  slice.pages = sequence.pages.pages();
  slice.logit_rows = first + tokens == sequence.known() ? 1 : 0;
  logit_rows_ += slice.logit_rows;
  slices_.push_back(slice);
  first_image_.push_back(images_.size());
  sequence.request->images.AppendRows(first, tokens, &images_);
}

absl::Span<const model::Position> Batch::PositionsOf(const Sequence& sequence, int tokens) {
  const model::PositionPlan& plan = sequence.request->positions;
  const absl::Span<const model::Position> prompt = plan.prompt;
  const int first = sequence.computed;
  const int end = first + tokens;
  if (static_cast<size_t>(end) <= prompt.size()) return prompt.subspan(first, tokens);
  const size_t begin = positions_.size();
  CHECK(begin + tokens <= positions_.capacity());
  for (int i = first; i < end; ++i) {
    const int32_t position = i + plan.delta;
    positions_.push_back(static_cast<size_t>(i) < prompt.size()
                             ? prompt[i]
                             : model::Position{position, position, position});
  }
  return absl::MakeConstSpan(positions_).subspan(begin, tokens);
}

absl::Span<const model::SequenceSlice> Batch::Slices() {
  for (size_t i = 0; i < slices_.size(); ++i) {
    const size_t end = i + 1 < slices_.size() ? first_image_[i + 1] : images_.size();
    slices_[i].images =
        absl::MakeConstSpan(images_).subspan(first_image_[i], end - first_image_[i]);
  }
  return slices_;
}

}  // namespace switchboard::engine
