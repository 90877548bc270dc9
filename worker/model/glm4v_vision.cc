#include "worker/model/glm4v_vision.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "worker/model/rotary.h"
#include "worker/model/scratch_rows.h"

namespace switchboard::model {
namespace {

using backend::ConstRows;
using backend::Rows;

// LayerNorm's epsilon is torch's default, not the config's.
constexpr float kLayerNormEps = 1e-5f;
constexpr double kRotaryTheta = 10000.0;

VisionBlockWeights ReadBlock(const VisionConfig& c, int block, WeightReader* reader) {
  const std::string at = absl::StrCat("visual.blocks.", block, ".");
  const int64_t v = c.hidden_size, m = c.mlp_size;
  VisionBlockWeights w;
  w.norm1 = reader->ReadVector({{at + "norm1.weight", {v}}});
  w.qkv = reader->ReadMatrix({{at + "attn.qkv.weight", {3 * v, v}}});
  w.proj = reader->ReadMatrix({{at + "attn.proj.weight", {v, v}}});
  w.norm2 = reader->ReadVector({{at + "norm2.weight", {v}}});
  w.gate_up = reader->ReadMatrix(
      {{at + "mlp.gate_proj.weight", {m, v}}, {at + "mlp.up_proj.weight", {m, v}}});
  w.down = reader->ReadMatrix({{at + "mlp.down_proj.weight", {v, m}}});
  return w;
}

// Where sample point `cell` of `cells` lies on an axis of `side` learned positions (grid_sample
// without align_corners).
float SampleAt(int cell, int cells, int side) {
  return (static_cast<float>(cell) + 0.5f) * static_cast<float>(side) / static_cast<float>(cells) -
         0.5f;
}

}  // namespace

VisionWeights ReadVisionWeights(const VisionConfig& c, WeightReader* reader) {
  const int64_t v = c.hidden_size, o = c.out_hidden_size, g = c.merger_size, m = c.merge;
  VisionWeights w;
  w.patch = reader->ReadMatrix({{"visual.patch_embed.proj.weight",
                                 {v, c.channels, c.temporal, c.patch_size, c.patch_size}}});
  w.patch_bias = reader->ReadVector({{"visual.patch_embed.proj.bias", {v}}});
  w.post_conv_norm = reader->ReadVector({{"visual.post_conv_layernorm.weight", {v}}});
  w.positions = reader->ReadVector({{"visual.embeddings.position_embedding.weight",
                                     {int64_t{c.position_side} * c.position_side, v}}});
  for (int i = 0; i < c.depth; ++i) w.blocks.push_back(ReadBlock(c, i, reader));
  w.post_norm = reader->ReadVector({{"visual.post_layernorm.weight", {v}}});
  // Stored [o][v][m][m]; the rows that meet it are m * m patches of v channels.
  w.downsample =
      reader->ReadPermuted({"visual.downsample.weight", {o, v, m, m}},
                           [&](int64_t column) { return column % v * m * m + column / v; });
  w.downsample_bias = reader->ReadVector({{"visual.downsample.bias", {o}}});
  w.merger = reader->ReadMatrix({{"visual.merger.proj.weight", {o, o}}});
  w.merger_norm = reader->ReadVector({{"visual.merger.post_projection_norm.weight", {o}}});
  w.merger_norm_bias = reader->ReadVector({{"visual.merger.post_projection_norm.bias", {o}}});
  w.merger_gate_up = reader->ReadMatrix(
      {{"visual.merger.gate_proj.weight", {g, o}}, {"visual.merger.up_proj.weight", {g, o}}});
  w.merger_down = reader->ReadMatrix({{"visual.merger.down_proj.weight", {o, g}}});
  return w;
}

VisionEncoding::VisionEncoding(const VisionConfig& config, const VisionWeights& weights,
                               backend::Backend* backend, std::vector<float> patches, int grid_h,
                               int grid_w)
    : config_(config),
      weights_(weights),
      backend_(backend),
      grid_h_(grid_h),
      grid_w_(grid_w),
      patches_(std::move(patches)) {
  const int merge = config.merge;
  CHECK(grid_h > 0 && grid_w > 0 && grid_h % merge == 0 && grid_w % merge == 0);
  CHECK(static_cast<int64_t>(patches_.size()) ==
        int64_t{grid_h} * grid_w * int64_t{config.patch_width});
  // The patches of a merge block follow each other.
  for (int y = 0; y < grid_h; y += merge) {
    for (int x = 0; x < grid_w; x += merge) {
      for (int cell = 0; cell < merge * merge; ++cell) {
        rows_.push_back(y + cell / merge);
        columns_.push_back(x + cell % merge);
      }
    }
  }
}

bool VisionEncoding::Step() {
  const int64_t patches = static_cast<int64_t>(rows_.size());
  const int stage = stage_++ - 3;  // the stages before the blocks are negative
  if (stage == -3) {
    state_ = Use(&state_memory_, patches, config_.hidden_size);
    backend_->Linear({patches_.data(), patches, config_.patch_width}, *weights_.patch,
                     weights_.patch_bias, state_);
    patches_ = std::vector<float>();
  } else if (stage == -2) {
    backend_->RmsNorm(state_, weights_.post_conv_norm, config_.rms_norm_eps, state_);
  } else if (stage == -1) {
    AddPositions();
    PlanRotary();
  } else if (stage < config_.depth) {
    RunBlock(weights_.blocks[static_cast<size_t>(stage)]);
  } else if (stage == config_.depth) {
    backend_->RmsNorm(state_, weights_.post_norm, config_.rms_norm_eps, state_);
  } else if (stage == config_.depth + 1) {
    const int64_t cells = int64_t{config_.merge} * config_.merge;
    const ConstRows merged = {state_.data, patches / cells, config_.hidden_size * cells};
    const Rows out = Use(&merged_memory_, merged.rows, config_.out_hidden_size);
    backend_->Linear(merged, *weights_.downsample, weights_.downsample_bias, out);
    state_ = out;
  } else {
    CHECK(stage == config_.depth + 2);
    RunMerger();
    return true;
  }
  return false;
}

absl::Span<const float> VisionEncoding::Embeddings() const {
  CHECK(stage_ == config_.depth + 6);
  return {state_.data, static_cast<size_t>(state_.rows * state_.width)};
}

void VisionEncoding::AddPositions() {
  std::vector<float> sample_y, sample_x;
  for (size_t i = 0; i < rows_.size(); ++i) {
    sample_y.push_back(SampleAt(rows_[i], grid_h_, config_.position_side));
    sample_x.push_back(SampleAt(columns_[i], grid_w_, config_.position_side));
  }
  backend_->AddBicubic(weights_.positions, config_.position_side, sample_y, sample_x, state_);
}

// The first half of a head's pairs turns with the row of the patch, the second with its column.
void VisionEncoding::PlanRotary() {
  const int quarter = config_.head_dim / 4;
  const int64_t patches = static_cast<int64_t>(rows_.size());
  const std::vector<float> frequencies = RotaryFrequencies(kRotaryTheta, quarter);
  std::vector<float> angles;
  angles.reserve(static_cast<size_t>(2 * patches * quarter));
  for (size_t i = 0; i < rows_.size(); ++i) {
    for (const int32_t coordinate : {rows_[i], columns_[i]}) {
      for (const float f : frequencies) angles.push_back(static_cast<float>(coordinate) * f);
    }
  }
  float* rotary = rotary_memory_.Grow(4 * patches * quarter);
  cosines_ = {rotary, patches, 2 * quarter};
  sines_ = {rotary + 2 * patches * quarter, patches, 2 * quarter};
  backend_->CosSin(angles, cosines_.data, sines_.data);
}

void VisionEncoding::RunBlock(const VisionBlockWeights& block) {
  RunAttention(block);
  RunMlp(block);
}

void VisionEncoding::RunAttention(const VisionBlockWeights& block) {
  const backend::HeadShape shape = {config_.heads, config_.heads, config_.head_dim};
  const Rows x = Use(&branch_memory_, state_.rows, config_.hidden_size);
  const Rows qkv = Use(&qkv_memory_, state_.rows, shape.qkv_width());
  const Rows attended = Use(&attended_memory_, state_.rows, shape.q_width());

  backend_->RmsNorm(state_, block.norm1, config_.rms_norm_eps, x);
  backend_->Linear(x, *block.qkv, {}, qkv);
  backend_->RotateHalves(qkv, 2 * shape.heads, shape.head_dim, cosines_, sines_);
  backend_->FullAttention(qkv, shape, attended);
  backend_->Linear(attended, *block.proj, {}, x);
  backend_->Add(x, state_);
}

void VisionEncoding::RunMlp(const VisionBlockWeights& block) {
  for (int64_t first = 0; first < state_.rows; first += kMlpRows) {
    const Rows state = state_.slice(first, std::min(kMlpRows, state_.rows - first));
    const Rows x = Use(&branch_memory_, state.rows, config_.hidden_size);
    const Rows gate_up = Use(&gate_up_memory_, state.rows, int64_t{2} * config_.mlp_size);
    const Rows gated = Use(&gated_memory_, state.rows, config_.mlp_size);

    backend_->RmsNorm(state, block.norm2, config_.rms_norm_eps, x);
    backend_->Linear(x, *block.gate_up, {}, gate_up);
    backend_->SiluMul(gate_up, gated);
    backend_->Linear(gated, *block.down, {}, x);
    backend_->Add(x, state);
  }
}

void VisionEncoding::RunMerger() {
  for (int64_t first = 0; first < state_.rows; first += kMlpRows) {
    const Rows state = state_.slice(first, std::min(kMlpRows, state_.rows - first));
    const Rows z = Use(&branch_memory_, state.rows, config_.out_hidden_size);
    const Rows gate_up = Use(&gate_up_memory_, state.rows, int64_t{2} * config_.merger_size);
    const Rows gated = Use(&gated_memory_, state.rows, config_.merger_size);

    backend_->Linear(state, *weights_.merger, {}, z);
    backend_->LayerNorm(z, weights_.merger_norm, weights_.merger_norm_bias, kLayerNormEps, z);
    backend_->GeluErf(z);
    backend_->Linear(z, *weights_.merger_gate_up, {}, gate_up);
    backend_->SiluMul(gate_up, gated);
    backend_->Linear(gated, *weights_.merger_down, {}, state);
  }
}

}  // namespace switchboard::model
