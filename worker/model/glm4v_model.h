// GLM-4.1V and AutoGLM-Phone (Glm4vForConditionalGeneration) as a Model: Glm4's decoder with
// three-axis positions, and a vision tower.
#ifndef SWITCHBOARD_WORKER_MODEL_GLM4V_MODEL_H_
#define SWITCHBOARD_WORKER_MODEL_GLM4V_MODEL_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "worker/backend/ops.h"
#include "worker/model/config.h"
#include "worker/model/decoder_model.h"
#include "worker/model/decoder_weights.h"
#include "worker/model/glm4v_vision.h"
#include "worker/model/model.h"

namespace switchboard::model {

struct Glm4vWeights {
  DecoderWeights text;
  VisionWeights vision;
};

// Asks the reader for every tensor of the family.
Glm4vWeights ReadGlm4vWeights(const Glm4vConfig& config, WeightReader* reader);

class Glm4vModel final : public DecoderModel {
 public:
  Glm4vModel(const Glm4vConfig& config, Glm4vWeights weights,
             std::unique_ptr<backend::Backend> backend);

  absl::StatusOr<PositionPlan> PlanPositions(int32_t tokens,
                                             absl::Span<const ImageRange> images) const override;
  std::unique_ptr<ImageEncoding> EncodeImage(std::vector<float> patches, int grid_h,
                                             int grid_w) override;

  // The same with its stages visible.
  std::unique_ptr<VisionEncoding> NewVisionEncoding(std::vector<float> patches, int grid_h,
                                                    int grid_w);

 private:
  const VisionConfig vision_config_;
  const VisionWeights vision_;
};

}  // namespace switchboard::model

#endif  // SWITCHBOARD_WORKER_MODEL_GLM4V_MODEL_H_
