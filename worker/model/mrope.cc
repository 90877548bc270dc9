#include "worker/model/mrope.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "worker/model/rotary.h"

namespace switchboard::model {
namespace {

// Appends `count` text tokens from `start` on; returns the next free coordinate.
int32_t AppendText(int32_t start, int32_t count, std::vector<Position>* positions) {
  for (int32_t i = 0; i < count; ++i) positions->push_back({start + i, start + i, start + i});
  return start + count;
}

int32_t AppendGrid(int32_t start, int32_t height, int32_t width, std::vector<Position>* positions) {
  for (int32_t y = 0; y < height; ++y) {
    for (int32_t x = 0; x < width; ++x) positions->push_back({start, start + y, start + x});
  }
  return start + std::max(height, width);
}

}  // namespace

absl::StatusOr<PositionPlan> PlanMropePositions(int32_t tokens, absl::Span<const ImageRange> images,
                                                int merge) {
  PositionPlan plan;
  plan.prompt.reserve(static_cast<size_t>(std::max(tokens, 0)));
  int32_t next = 0;
  for (const ImageRange& image : images) {
    const int32_t done = static_cast<int32_t>(plan.prompt.size());
    const bool whole = image.grid_h > 0 && image.grid_w > 0 && image.grid_h % merge == 0 &&
                       image.grid_w % merge == 0;
    const int64_t count = int64_t{image.grid_h / merge} * (image.grid_w / merge);
    if (!whole || image.offset < done || image.offset > tokens || count > tokens - image.offset) {
      return absl::InvalidArgumentError(
          absl::StrCat("an image of ", image.grid_h, "x", image.grid_w, " patches at token ",
                       image.offset, " does not fit a prompt of ", tokens, " tokens"));
    }
    next = AppendText(next, image.offset - done, &plan.prompt);
    next = AppendGrid(next, image.grid_h / merge, image.grid_w / merge, &plan.prompt);
  }
  next = AppendText(next, tokens - static_cast<int32_t>(plan.prompt.size()), &plan.prompt);
  plan.delta = next - tokens;
  return plan;
}

MropeAngles::MropeAngles(const RotaryConfig& config) : frequencies_(ScaledFrequencies(config)) {
  for (size_t axis = 0; axis < 3; ++axis) {
    axes_.insert(axes_.end(), static_cast<size_t>(config.sections[axis]), axis);
  }
}

void MropeAngles::At(const Position& position, float* angles) const {
  for (size_t i = 0; i < frequencies_.size(); ++i) {
    angles[i] = static_cast<float>(position[axes_[i]]) * frequencies_[i];
  }
}

}  // namespace switchboard::model
