#include "worker/model/glm4v_text.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "worker/model/scratch_rows.h"

namespace switchboard::model {
namespace {

using backend::ConstRows;
using backend::Rows;

TextLayerWeights ReadLayer(const TextConfig& c, int layer, WeightReader* reader) {
  const std::string at = absl::StrCat("language_model.layers.", layer, ".");
  const int64_t h = c.hidden_size, m = c.mlp_size;
  const int64_t q = int64_t{c.heads} * c.head_dim, kv = int64_t{c.kv_heads} * c.head_dim;
  TextLayerWeights w;
  w.input_norm = reader->ReadVector({{at + "input_layernorm.weight", {h}}});
  w.qkv = reader->ReadMatrix({{at + "self_attn.q_proj.weight", {q, h}},
                              {at + "self_attn.k_proj.weight", {kv, h}},
                              {at + "self_attn.v_proj.weight", {kv, h}}});
  w.qkv_bias = reader->ReadVector({{at + "self_attn.q_proj.bias", {q}},
                                   {at + "self_attn.k_proj.bias", {kv}},
                                   {at + "self_attn.v_proj.bias", {kv}}});
  w.out = reader->ReadMatrix({{at + "self_attn.o_proj.weight", {h, q}}});
  w.post_attention_norm = reader->ReadVector({{at + "post_self_attn_layernorm.weight", {h}}});
  w.pre_mlp_norm = reader->ReadVector({{at + "post_attention_layernorm.weight", {h}}});
  if (reader->Has(at + "mlp.gate_proj.weight")) {
    w.gate_up = reader->ReadMatrix(
        {{at + "mlp.gate_proj.weight", {m, h}}, {at + "mlp.up_proj.weight", {m, h}}});
  } else {
    w.gate_up = reader->ReadMatrix({{at + "mlp.gate_up_proj.weight", {2 * m, h}}});
  }
  w.down = reader->ReadMatrix({{at + "mlp.down_proj.weight", {h, m}}});
  w.post_mlp_norm = reader->ReadVector({{at + "post_mlp_layernorm.weight", {h}}});
  return w;
}

// Tied: the embedding serves as output layer, whether or not the file repeats it. When the file has
// another output layer all the same, that one is used, as transformers 5 does.
void ReadHead(const TextConfig& c, WeightReader* reader, TextWeights* w) {
  const WeightSpec embedding = {"language_model.embed_tokens.weight",
                                {c.vocab_size, c.hidden_size}};
  const WeightSpec head = {"lm_head.weight", {c.vocab_size, c.hidden_size}};
  if (c.tie_word_embeddings && !reader->Has(head.name)) return;
  if (c.tie_word_embeddings && reader->Has(embedding.name)) {
    if (reader->Equal(embedding.name, head.name)) return reader->Drop(head);
    w->warning =
        "tie_word_embeddings is true, but lm_head.weight differs from the embedding: using "
        "lm_head.weight";
  }
  w->lm_head = reader->ReadMatrix({head});
}

}  // namespace

TextWeights ReadTextWeights(const TextConfig& c, WeightReader* reader) {
  TextWeights w;
  w.embedding =
      reader->ReadMatrix({{"language_model.embed_tokens.weight", {c.vocab_size, c.hidden_size}}});
  for (int i = 0; i < c.layers; ++i) w.layers.push_back(ReadLayer(c, i, reader));
  w.final_norm = reader->ReadVector({{"language_model.norm.weight", {c.hidden_size}}});
  ReadHead(c, reader, &w);
  return w;
}

Glm4vText::Glm4vText(const TextConfig& config, TextWeights weights, backend::Backend* backend)
    : config_(config), weights_(std::move(weights)), angles_(config), backend_(backend) {}

void Glm4vText::Begin(absl::Span<const SequenceSlice> slices) {
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

void Glm4vText::PlanRows(absl::Span<const SequenceSlice> slices) {
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

void Glm4vText::PlaceImages(absl::Span<const SequenceSlice> slices) {
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

void Glm4vText::RunLayer(int layer, backend::KvPages* kv) {
  const TextLayerWeights& weights = weights_.layers[static_cast<size_t>(layer)];
  RunAttention(weights, layer, kv);
  RunMlp(weights);
}

void Glm4vText::RunAttention(const TextLayerWeights& weights, int layer, backend::KvPages* kv) {
  const backend::HeadShape shape = head_shape();
  const int64_t rows = hidden_.rows;
  const Rows x = Use(&branch_memory_, rows, config_.hidden_size);
  const Rows qkv = Use(&qkv_memory_, rows, shape.qkv_width());
  const Rows attended = Use(&attended_memory_, rows, shape.q_width());

  backend_->RmsNorm(hidden_, weights.input_norm, config_.rms_norm_eps, x);
  backend_->Linear(x, *weights.qkv, weights.qkv_bias, qkv);
  backend_->RotateAdjacent(qkv, shape.heads + shape.kv_heads, shape.head_dim, cosines_, sines_);
  backend_->WriteKv(qkv, shape, sequences_, layer, kv);
  backend_->PagedAttention(qkv, shape, sequences_, layer, *kv, attended);
  backend_->Linear(attended, *weights.out, {}, x);
  backend_->RmsNorm(x, weights.post_attention_norm, config_.rms_norm_eps, x);
  backend_->Add(x, hidden_);
}

void Glm4vText::RunMlp(const TextLayerWeights& weights) {
  for (int64_t first = 0; first < hidden_.rows; first += kMlpRows) {
    const int64_t rows = std::min(kMlpRows, hidden_.rows - first);
    const Rows hidden = hidden_.slice(first, rows);
    const Rows x = Use(&branch_memory_, rows, config_.hidden_size);
    const Rows gate_up = Use(&gate_up_memory_, rows, int64_t{2} * config_.mlp_size);
    const Rows gated = Use(&gated_memory_, rows, config_.mlp_size);

    backend_->RmsNorm(hidden, weights.pre_mlp_norm, config_.rms_norm_eps, x);
    backend_->Linear(x, *weights.gate_up, {}, gate_up);
    backend_->SiluMul(gate_up, gated);
    backend_->Linear(gated, *weights.down, {}, x);
    backend_->RmsNorm(x, weights.post_mlp_norm, config_.rms_norm_eps, x);
    backend_->Add(x, hidden);
  }
}

void Glm4vText::Finish(float* logits) {
  const int64_t rows = static_cast<int64_t>(wanted_.size());
  normed_ = Use(&normed_memory_, rows, config_.hidden_size);
  backend_->GatherRows(hidden_, wanted_, normed_);
  backend_->RmsNorm(normed_, weights_.final_norm, config_.rms_norm_eps, normed_);
  const backend::Matrix& head = weights_.lm_head ? *weights_.lm_head : *weights_.embedding;
  backend_->Linear(normed_, head, {}, {logits, rows, config_.vocab_size});
}

}  // namespace switchboard::model
