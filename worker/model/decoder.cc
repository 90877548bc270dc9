#include "worker/model/decoder.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "worker/model/scratch_rows.h"

namespace switchboard::model {
namespace {

using backend::Rows;

}  // namespace

Decoder::Decoder(const TextConfig& config, DecoderWeights weights, backend::Backend* backend)
    : config_(config), weights_(std::move(weights)), angles_(config.rotary), backend_(backend) {}

void Decoder::Begin(absl::Span<const SequenceSlice> slices) {
  PlanRows(slices);
  const int64_t rows = static_cast<int64_t>(ids_.size());
  hidden_ = Use(&hidden_memory_, rows, config_.hidden_size);
  backend_->Embed(*weights_.embedding, ids_, hidden_);
  PlaceImages(slices);

  float* rotary = rotary_memory_.Grow(2 * rows * angles_.pairs());
  cosines_ = {rotary, rows, angles_.pairs()};
  sines_ = {rotary + rows * angles_.pairs(), rows, angles_.pairs()};
  backend_->CosSin(row_angles_, cosines_.data, sines_.data);
}

void Decoder::PlanRows(absl::Span<const SequenceSlice> slices) {
  sequences_.clear();
  wanted_.clear();
  ids_.clear();
  row_angles_.clear();
  for (const SequenceSlice& slice : slices) {
    const int64_t first = static_cast<int64_t>(ids_.size());
    const int64_t rows = static_cast<int64_t>(slice.token_ids.size());
    CHECK(slice.positions.size() == slice.token_ids.size());
    CHECK(static_cast<int64_t>(slice.pages.size()) * kPageTokens >= slice.first + rows);
    sequences_.push_back({first, rows, slice.first, slice.pages});
    ids_.insert(ids_.end(), slice.token_ids.begin(), slice.token_ids.end());
    for (int64_t i = rows - slice.logit_rows; i < rows; ++i) {
      wanted_.push_back(static_cast<int32_t>(first + i));
    }
    for (const Position& position : slice.positions) {
      row_angles_.resize(row_angles_.size() + static_cast<size_t>(angles_.pairs()));
      angles_.At(position, &row_angles_[row_angles_.size() - static_cast<size_t>(angles_.pairs())]);
    }
  }
}

void Decoder::PlaceImages(absl::Span<const SequenceSlice> slices) {
  for (size_t s = 0; s < slices.size(); ++s) {
    for (const ImageRows& image : slices[s].images) {
      CHECK(image.row >= 0 && image.row + image.count <= sequences_[s].rows);
      std::vector<int32_t> rows;
      for (int32_t i = 0; i < image.count; ++i) {
        rows.push_back(static_cast<int32_t>(sequences_[s].row) + image.row + i);
      }
      backend_->ScatterRows({image.embeddings, image.count, config_.hidden_size}, rows, hidden_);
    }
  }
}

void Decoder::RunLayer(int layer, backend::KvPages* kv) {
  const DecoderLayer& w = weights_.layers[static_cast<size_t>(layer)];
  RunAttention(w, layer, kv);
  RunMlp(w);
}

void Decoder::RunAttention(const DecoderLayer& w, int layer, backend::KvPages* kv) {
  backend::HeadShape shape = head_shape();
  shape.window = config_.window(layer);
  const int64_t rows = hidden_.rows;
  const Rows x = Use(&branch_memory_, rows, config_.hidden_size);
  const Rows qkv = Use(&qkv_memory_, rows, shape.qkv_width());
  const Rows attended = Use(&attended_memory_, rows, shape.q_width());

  backend_->RmsNorm(hidden_, w.input_norm, config_.rms_norm_eps, x);
  backend_->Linear(x, *w.qkv.weight, w.qkv.bias, qkv);
  Rotate(w, qkv);
  backend_->WriteKv(qkv, shape, sequences_, layer, kv);
  backend_->PagedAttention(qkv, shape, sequences_, layer, *kv, attended);
  backend_->Linear(attended, *w.out.weight, w.out.bias, x);
  AddBranch(x, w.attention_norm, hidden_);
}

void Decoder::Rotate(const DecoderLayer& w, Rows qkv) {
  const int turning = config_.heads + config_.kv_heads;
  if (!w.q_norm.empty()) {
    backend_->RmsNormHeads(qkv, 0, config_.heads, w.q_norm, config_.rms_norm_eps);
    backend_->RmsNormHeads(qkv, config_.heads, config_.kv_heads, w.k_norm, config_.rms_norm_eps);
  }
  if (config_.rotary.layout == RotaryPairs::kAdjacent) {
    backend_->RotateAdjacent(qkv, turning, config_.head_dim, cosines_, sines_);
  } else {
    backend_->RotateHalves(qkv, turning, config_.head_dim, cosines_, sines_);
  }
}

void Decoder::RunMlp(const DecoderLayer& w) {
  for (int64_t first = 0; first < hidden_.rows; first += kMlpRows) {
    const int64_t rows = std::min(kMlpRows, hidden_.rows - first);
    const Rows hidden = hidden_.slice(first, rows);
    const Rows x = Use(&branch_memory_, rows, config_.hidden_size);
    const Rows gate_up = Use(&gate_up_memory_, rows, int64_t{2} * config_.mlp_size);
    const Rows gated = Use(&gated_memory_, rows, config_.mlp_size);

    backend_->RmsNorm(hidden, w.pre_mlp_norm, config_.rms_norm_eps, x);
    backend_->Linear(x, *w.gate_up.weight, w.gate_up.bias, gate_up);
    backend_->SiluMul(gate_up, gated);
    backend_->Linear(gated, *w.down.weight, w.down.bias, x);
    AddBranch(x, w.mlp_norm, hidden);
  }
}

void Decoder::AddBranch(Rows x, const std::vector<float>& norm, Rows hidden) {
  if (!norm.empty()) backend_->RmsNorm(x, norm, config_.rms_norm_eps, x);
  backend_->Add(x, hidden);
}

void Decoder::Finish(float* logits) {
  const int64_t rows = static_cast<int64_t>(wanted_.size());
  normed_ = Use(&normed_memory_, rows, config_.hidden_size);
  backend_->GatherRows(hidden_, wanted_, normed_);
  backend_->RmsNorm(normed_, weights_.final_norm, config_.rms_norm_eps, normed_);
  const backend::Matrix& head = weights_.lm_head ? *weights_.lm_head : *weights_.embedding;
  backend_->Linear(normed_, head, {}, {logits, rows, config_.vocab_size});
}

}  // namespace switchboard::model
