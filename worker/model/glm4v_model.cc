#include "worker/model/glm4v_model.h"

#include <utility>

#include "worker/model/glm.h"
#include "worker/model/mrope.h"

namespace switchboard::model {

Glm4vWeights ReadGlm4vWeights(const Glm4vConfig& config, WeightReader* reader) {
  Glm4vWeights weights;
  weights.text = ReadDecoder(config.text, ReadSandwichLayer, reader);
  weights.vision = ReadVisionWeights(config.vision, reader);
  return weights;
}

Glm4vModel::Glm4vModel(const Glm4vConfig& config, Glm4vWeights weights,
                       std::unique_ptr<backend::Backend> backend)
    : DecoderModel(config.text, std::move(weights.text), std::move(backend)),
      vision_config_(config.vision),
      vision_(std::move(weights.vision)) {
  set_has_vision();
}

absl::StatusOr<PositionPlan> Glm4vModel::PlanPositions(int32_t tokens,
                                                       absl::Span<const ImageRange> images) const {
  return PlanMropePositions(tokens, images, vision_config_.merge);
}

std::unique_ptr<ImageEncoding> Glm4vModel::EncodeImage(std::vector<float> patches, int grid_h,
                                                       int grid_w) {
  return NewVisionEncoding(std::move(patches), grid_h, grid_w);
}

std::unique_ptr<VisionEncoding> Glm4vModel::NewVisionEncoding(std::vector<float> patches,
                                                              int grid_h, int grid_w) {
  return std::make_unique<VisionEncoding>(vision_config_, vision_, backend(), std::move(patches),
                                          grid_h, grid_w);
}

}  // namespace switchboard::model
