// The text decoder that all families share. What a layer does depends on what its weights hold:
//   h += N(out attention(rotate(n(qkv N(h)))));  h += N(down(silu(gate N(h)) * (up N(h))))
// where N, n are RMS norms over a row and over each head of q and k. All but the first N of each
// half are left out where the family does not have them, and so are biases.
#ifndef SWITCHBOARD_WORKER_MODEL_DECODER_H_
#define SWITCHBOARD_WORKER_MODEL_DECODER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "worker/backend/memory.h"
#include "worker/backend/ops.h"
#include "worker/model/config.h"
#include "worker/model/decoder_weights.h"
#include "worker/model/model.h"
#include "worker/model/mrope.h"

namespace switchboard::model {

// One forward pass at a time: Begin, every layer in order, Finish. Not thread-safe. The backend is
// borrowed.
class Decoder {
 public:
  Decoder(const TextConfig& config, DecoderWeights weights, backend::Backend* backend);

  // Of the KV cache, which every layer shares.
  backend::HeadShape head_shape() const {
    return {config_.heads, config_.kv_heads, config_.head_dim};
  }
  int layers() const { return config_.layers; }
  // About the weights, for the log; empty when all is plain.
  const std::string& warning() const { return weights_.warning; }

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
  void Rotate(const DecoderLayer& w, backend::Rows qkv);
  // hidden[i] += the branch x[i], through its norm if there is one.
  void AddBranch(backend::Rows x, const std::vector<float>& norm, backend::Rows hidden);
  void RunAttention(const DecoderLayer& w, int layer, backend::KvPages* kv);
  void RunMlp(const DecoderLayer& w);
  void PlaceImages(absl::Span<const SequenceSlice> slices);
  void PlanRows(absl::Span<const SequenceSlice> slices);

  const TextConfig config_;
  const DecoderWeights weights_;
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

#endif  // SWITCHBOARD_WORKER_MODEL_DECODER_H_
