// GLM-4.1V and AutoGLM-Phone (Glm4vForConditionalGeneration) as a Model.
#ifndef SWITCHBOARD_WORKER_MODEL_GLM4V_MODEL_H_
#define SWITCHBOARD_WORKER_MODEL_GLM4V_MODEL_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "worker/backend/ops.h"
#include "worker/model/config.h"
#include "worker/model/glm4v_text.h"
#include "worker/model/glm4v_vision.h"
#include "worker/model/model.h"

namespace switchboard::model {

struct Glm4vWeights {
  TextWeights text;
  VisionWeights vision;
};

// Asks the reader for every tensor of the family.
Glm4vWeights ReadGlm4vWeights(const ModelConfig& config, WeightReader* reader);

class Glm4vModel final : public Model {
 public:
  Glm4vModel(const ModelConfig& config, Glm4vWeights weights,
             std::unique_ptr<backend::Backend> backend);

  const ModelShape& shape() const override { return shape_; }
  absl::StatusOr<std::unique_ptr<KvCache>> NewKvCache(int pages) override;
  absl::StatusOr<PositionPlan> PlanPositions(int32_t tokens,
                                             absl::Span<const ImageRange> images) const override;
  void Forward(absl::Span<const SequenceSlice> slices, KvCache* cache, float* logits) override;
  std::unique_ptr<ImageEncoding> EncodeImage(std::vector<float> patches, int grid_h,
                                             int grid_w) override;

  // The parts, for whoever wants to look between the layers.
  Glm4vText& text() { return text_; }
  std::unique_ptr<VisionEncoding> NewVisionEncoding(std::vector<float> patches, int grid_h,
                                                    int grid_w);
  // REQUIRES: made by NewKvCache of this class.
  static backend::KvPages* PagesOf(KvCache* cache);

 private:
  const std::unique_ptr<backend::Backend> backend_;
  const VisionConfig vision_config_;
  const VisionWeights vision_;
  Glm4vText text_;
  ModelShape shape_;
};

}  // namespace switchboard::model

#endif  // SWITCHBOARD_WORKER_MODEL_GLM4V_MODEL_H_
