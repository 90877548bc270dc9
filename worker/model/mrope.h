// Three-axis token positions of the GLM-4.1V line, and the rotary angles they give; in a model
// without images all three axes count the tokens. Rule: an image's tokens stand on a grid (time,
// row, column) that starts where the text before it ends; what follows starts one behind the
// largest coordinate used so far.
#ifndef SWITCHBOARD_WORKER_MODEL_MROPE_H_
#define SWITCHBOARD_WORKER_MODEL_MROPE_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "worker/model/config.h"
#include "worker/model/model.h"

namespace switchboard::model {

// Positions of `tokens` tokens of which the ranges are images; `merge` patches per side make a
// token. Neighbouring images with no text between stay two images. InvalidArgument when the ranges
// overlap, are out of order or do not fit.
absl::StatusOr<PositionPlan> PlanMropePositions(int32_t tokens, absl::Span<const ImageRange> images,
                                                int merge);

// Angles of rotary pairs: pair i turns with the axis that the config's sections give it, at its
// frequency (rotary.h).
class MropeAngles {
 public:
  explicit MropeAngles(const RotaryConfig& config);
  int pairs() const { return static_cast<int>(frequencies_.size()); }
  // angles [pairs()].
  void At(const Position& position, float* angles) const;

 private:
  std::vector<float> frequencies_;
  std::vector<size_t> axes_;
};

}  // namespace switchboard::model

#endif  // SWITCHBOARD_WORKER_MODEL_MROPE_H_
