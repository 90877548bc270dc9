#include "worker/model/glm4v_model.h"

#include <utility>

#include "base/status_macros.h"
#include "worker/model/mrope.h"

namespace switchboard::model {
namespace {

static_assert(kPageTokens == backend::kTileTokens, "a page is one attention tile");

class Glm4vKvCache final : public KvCache {
 public:
  explicit Glm4vKvCache(std::unique_ptr<backend::KvPages> pages) : pages_(std::move(pages)) {}
  int pages() const override { return pages_->pages(); }
  void CopyPage(int from, int to, int tokens) override { pages_->CopyPage(from, to, tokens); }
  backend::KvPages* get() { return pages_.get(); }

 private:
  const std::unique_ptr<backend::KvPages> pages_;
};

}  // namespace

Glm4vWeights ReadGlm4vWeights(const ModelConfig& config, WeightReader* reader) {
  Glm4vWeights weights;
  weights.text = ReadTextWeights(config.text, reader);
  weights.vision = ReadVisionWeights(config.vision, reader);
  return weights;
}

Glm4vModel::Glm4vModel(const ModelConfig& config, Glm4vWeights weights,
                       std::unique_ptr<backend::Backend> backend)
    : backend_(std::move(backend)),
      vision_config_(config.vision),
      vision_(std::move(weights.vision)),
      text_(config.text, std::move(weights.text), backend_.get()) {
  shape_ = {.vocab_size = config.text.vocab_size,
            .hidden_size = config.text.hidden_size,
            .max_positions = config.text.max_positions,
            .kv_page_bytes = backend_->KvPageBytes(text_.head_shape(), text_.layers()),
            .has_vision = true};
}

absl::StatusOr<std::unique_ptr<KvCache>> Glm4vModel::NewKvCache(int pages) {
  ASSIGN_OR_RETURN(std::unique_ptr<backend::KvPages> kv,
                   backend_->NewKvPages(text_.head_shape(), text_.layers(), pages));
  return std::make_unique<Glm4vKvCache>(std::move(kv));
}

absl::StatusOr<PositionPlan> Glm4vModel::PlanPositions(int32_t tokens,
                                                       absl::Span<const ImageRange> images) const {
  return PlanMropePositions(tokens, images, vision_config_.merge);
}

void Glm4vModel::Forward(absl::Span<const SequenceSlice> slices, KvCache* cache, float* logits) {
  text_.Begin(slices);
  for (int layer = 0; layer < text_.layers(); ++layer) text_.RunLayer(layer, PagesOf(cache));
  text_.Finish(logits);
}

std::unique_ptr<ImageEncoding> Glm4vModel::EncodeImage(std::vector<float> patches, int grid_h,
                                                       int grid_w) {
  return NewVisionEncoding(std::move(patches), grid_h, grid_w);
}

std::unique_ptr<VisionEncoding> Glm4vModel::NewVisionEncoding(std::vector<float> patches,
                                                              int grid_h, int grid_w) {
  return std::make_unique<VisionEncoding>(vision_config_, vision_, backend_.get(),
                                          std::move(patches), grid_h, grid_w);
}

backend::KvPages* Glm4vModel::PagesOf(KvCache* cache) {
  return static_cast<Glm4vKvCache*>(cache)->get();
}

}  // namespace switchboard::model
