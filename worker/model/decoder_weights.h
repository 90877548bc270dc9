// The weights of a text decoder, and how families read them: a family names its norms and says what
// has a bias; the shapes are the same for all.
#ifndef SWITCHBOARD_WORKER_MODEL_DECODER_WEIGHTS_H_
#define SWITCHBOARD_WORKER_MODEL_DECODER_WEIGHTS_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "worker/backend/ops.h"
#include "worker/model/config.h"
#include "worker/model/weights.h"

namespace switchboard::model {

// y = W x + bias; an empty bias is none.
struct Projection {
  std::unique_ptr<backend::Matrix> weight;
  std::vector<float> bias;
};

// h = hidden_size, m = mlp_size, q = heads * head_dim, kv = kv_heads * head_dim. A norm that is
// empty is one that the family does not have.
struct DecoderLayer {
  std::vector<float> input_norm;      // [h], before attention
  Projection qkv;                     // [q + 2 kv, h]
  std::vector<float> q_norm, k_norm;  // [head_dim], on each head of q and k before they turn
  Projection out;                     // [h, q]
  std::vector<float> attention_norm;  // [h], on the attention's output
  std::vector<float> pre_mlp_norm;    // [h]
  Projection gate_up;                 // [2 m, h]
  Projection down;                    // [h, m]
  std::vector<float> mlp_norm;        // [h], on the MLP's output
};

struct DecoderWeights {
  std::unique_ptr<backend::Matrix> embedding;  // [vocab, h]
  std::vector<DecoderLayer> layers;
  std::vector<float> final_norm;             // [h]
  std::unique_ptr<backend::Matrix> lm_head;  // [vocab, h]; nullptr: the embedding (tied)
  std::string warning;                       // about the output layer; empty when all is plain
};

// Asks for the tensors of one layer by their names in Hugging Face checkpoints. Config and reader
// are borrowed.
class LayerReader {
 public:
  LayerReader(const TextConfig& config, int layer, WeightReader* reader);

  // NAME.weight [h].
  std::vector<float> Norm(absl::string_view name) const;
  // self_attn.NAME.weight [head_dim].
  std::vector<float> HeadNorm(absl::string_view name) const;
  // q_proj, k_proj and v_proj, stacked.
  Projection Qkv(bool bias) const;
  // o_proj.
  Projection Out(bool bias) const;
  // gate_up_proj, or gate_proj and up_proj stacked, whichever the checkpoint has.
  Projection GateUp(bool bias) const;
  // down_proj.
  Projection Down(bool bias) const;

 private:
  struct Block {
    absl::string_view name;
    int64_t rows;
  };
  Projection Read(const std::vector<Block>& blocks, int64_t columns, bool bias) const;

  const TextConfig& config_;
  const std::string prefix_;
  WeightReader* const reader_;
};

// How a family reads a layer.
using ReadLayerFn = DecoderLayer (*)(const TextConfig& config, const LayerReader& reader);

// Asks the reader for every tensor of a decoder.
DecoderWeights ReadDecoder(const TextConfig& config, ReadLayerFn read_layer, WeightReader* reader);

}  // namespace switchboard::model

#endif  // SWITCHBOARD_WORKER_MODEL_DECODER_WEIGHTS_H_
