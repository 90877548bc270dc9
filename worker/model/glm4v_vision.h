// The vision encoder of GLM-4.1V: patches to one embedding per image token.
#ifndef SWITCHBOARD_WORKER_MODEL_GLM4V_VISION_H_
#define SWITCHBOARD_WORKER_MODEL_GLM4V_VISION_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/types/span.h"
#include "worker/backend/memory.h"
#include "worker/backend/ops.h"
#include "worker/model/config.h"
#include "worker/model/model.h"
#include "worker/model/weights.h"

namespace switchboard::model {

// v = hidden_size, o = out_hidden_size, g = merger_size, p = patch_width, s = position_side, m =
// merge.
struct VisionBlockWeights {
  std::vector<float> norm1;                  // [v]
  std::unique_ptr<backend::Matrix> qkv;      // [3 v, v]
  std::unique_ptr<backend::Matrix> proj;     // [v, v]
  std::vector<float> norm2;                  // [v]
  std::unique_ptr<backend::Matrix> gate_up;  // [2 o, v]
  std::unique_ptr<backend::Matrix> down;     // [v, o]
};

struct VisionWeights {
  std::unique_ptr<backend::Matrix> patch;  // [v, p]
  std::vector<float> patch_bias;           // [v]
  std::vector<float> post_conv_norm;       // [v]
  std::vector<float> positions;            // [s * s, v]
  std::vector<VisionBlockWeights> blocks;
  std::vector<float> post_norm;  // [v]
  std::unique_ptr<backend::Matrix>
      downsample;  // [o, m * m * v], columns as (row in block, column in block, channel)
  std::vector<float> downsample_bias;                // [o]
  std::unique_ptr<backend::Matrix> merger;           // [o, o]
  std::vector<float> merger_norm, merger_norm_bias;  // [o]
  std::unique_ptr<backend::Matrix> merger_gate_up;   // [2 g, o]
  std::unique_ptr<backend::Matrix> merger_down;      // [o, g]
};

// Asks the reader for every vision tensor.
VisionWeights ReadVisionWeights(const VisionConfig& config, WeightReader* reader);

// An image in the tower. Step runs one stage: the patch embedding, its norm, the position
// embedding, each block, the final norm, the downsampling, the merger. The tower and the backend
// are borrowed.
class VisionEncoding final : public ImageEncoding {
 public:
  VisionEncoding(const VisionConfig& config, const VisionWeights& weights,
                 backend::Backend* backend, std::vector<float> patches, int grid_h, int grid_w);

  bool Step() override;
  absl::Span<const float> Embeddings() const override;

  // What the last Step left: [patches, v] up to the final norm, then [image tokens, o].
  backend::ConstRows state() const { return state_; }

 private:
  void AddPositions();
  void RunBlock(const VisionBlockWeights& block);
  void RunAttention(const VisionBlockWeights& block);
  void RunMlp(const VisionBlockWeights& block);
  void RunMerger();
  void PlanRotary();

  const VisionConfig& config_;
  const VisionWeights& weights_;
  backend::Backend* const backend_;
  const int grid_h_, grid_w_;

  int stage_ = 0;
  std::vector<float> patches_;           // freed after the first stage
  std::vector<int32_t> rows_, columns_;  // of each patch in the grid
  backend::Rows state_, cosines_, sines_;
  backend::Scratch state_memory_, merged_memory_, rotary_memory_, qkv_memory_, attended_memory_;
  backend::Scratch branch_memory_, gate_up_memory_, gated_memory_;
};

}  // namespace switchboard::model

#endif  // SWITCHBOARD_WORKER_MODEL_GLM4V_VISION_H_
