// The text decoder of GLM-4.1V (Glm4vForConditionalGeneration): GLM-4 with sandwich norms and
// three-axis rotary positions.
#ifndef SWITCHBOARD_WORKER_MODEL_GLM4V_TEXT_H_
#define SWITCHBOARD_WORKER_MODEL_GLM4V_TEXT_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "worker/backend/memory.h"
#include "worker/backend/ops.h"
#include "worker/model/config.h"
#include "worker/model/model.h"
#include "worker/model/mrope.h"
#include "worker/model/weights.h"

namespace switchboard::model {

// h = hidden_size, m = mlp_size, q = heads * head_dim, kv = kv_heads * head_dim.
struct TextLayerWeights {
  std::vector<float> input_norm;             // [h], before attention
  std::unique_ptr<backend::Matrix> qkv;      // [q + 2 kv, h]
  std::vector<float> qkv_bias;               // [q + 2 kv]
  std::unique_ptr<backend::Matrix> out;      // [h, q]
  std::vector<float> post_attention_norm;    // [h], on the attention's output
  std::vector<float> pre_mlp_norm;           // [h]
  std::unique_ptr<backend::Matrix> gate_up;  // [2 m, h]
  std::unique_ptr<backend::Matrix> down;     // [h, m]
  std::vector<float> post_mlp_norm;          // [h], on the MLP's output
};

struct TextWeights {
  std::unique_ptr<backend::Matrix> embedding;  // [vocab, h]
  std::vector<TextLayerWeights> layers;
  std::vector<float> final_norm;             // [h]
  std::unique_ptr<backend::Matrix> lm_head;  // [vocab, h]; nullptr: the embedding (tied)
  std::string warning;                       // about the output layer; empty when all is plain
};

// Asks the reader for every text tensor.
TextWeights ReadTextWeights(const TextConfig& config, WeightReader* reader);

// One forward pass at a time: Begin, every layer in order, Finish. Not thread-safe. The backend is
// borrowed.
class Glm4vText {
 public:
  Glm4vText(const TextConfig& config, TextWeights weights, backend::Backend* backend);

  backend::HeadShape head_shape() const {
    return {config_.heads, config_.kv_heads, config_.head_dim};
  }
  int layers() const { return config_.layers; }

  // Embeds the tokens and image rows of all slices; see Model::Forward. The slices' data is
  // borrowed until Finish.
  void Begin(absl::Span<const SequenceSlice> slices);
  // hidden += its attention, then += its MLP; writes the slices' keys and values to kv.
  void RunLayer(int layer, backend::KvPages* kv);
  // The wanted logits [wanted rows, vocab].
  void Finish(float* logits);

  // The state between the calls [rows, h], and after Finish the wanted rows through the final norm.
  backend::ConstRows hidden() const { return hidden_; }
  backend::ConstRows normed() const { return normed_; }

 private:
  void RunAttention(const TextLayerWeights& weights, int layer, backend::KvPages* kv);
  void RunMlp(const TextLayerWeights& weights);
  void PlaceImages(absl::Span<const SequenceSlice> slices);
  void PlanRows(absl::Span<const SequenceSlice> slices);

  const TextConfig config_;
  const TextWeights weights_;
  const MropeAngles angles_;
  backend::Backend* const backend_;

  std::vector<backend::SequenceRows> sequences_;
  std::vector<int32_t> wanted_;  // rows whose logits are wanted
  std::vector<int32_t> ids_;
  std::vector<float> row_angles_;
  backend::Rows hidden_, normed_, cosines_, sines_;
  backend::Scratch hidden_memory_, normed_memory_, rotary_memory_, qkv_memory_, attended_memory_;
  backend::Scratch branch_memory_, gate_up_memory_, gated_memory_;
};

}  // namespace switchboard::model

#endif  // SWITCHBOARD_WORKER_MODEL_GLM4V_TEXT_H_
